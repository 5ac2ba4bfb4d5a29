"""Variants of the module: definitions (variants.c), options, and texts where there is no function to redefine."""
from pathlib import Path
from typing import Dict, List, NamedTuple, Tuple

from tests.lib import definitions

AS_IT_IS = "as it is"


class Variant(NamedTuple):
    code: str = ""
    options: Dict[str, int] = {}
    texts: List[Tuple[str, str]] = []


OPTIONS = {
    "cost: max_penalty 8": {"max_penalty": 8},
    "cost: max_penalty 32": {"max_penalty": 32},
    "tolerance 0": {"tolerance": 0},
    "tolerance 25": {"tolerance": 25},
    "window 10 ms": {"window_ms": 10},
    "window 100 ms": {"window_ms": 100},
}
TEXTS = {
    "trend: spans tell nothing of the base": [
        ("		cap->base_ns = min(cap->base_ns, max(cap->dip.lat_ns, least));\n", "")],
    "latency: sums fade by windows": [
        ("div64_u64((256 >> (s->w.ewma_shift + (s->health.stamped ? 0 : 2))) * done, load)",
         "(256 >> s->w.ewma_shift) + 0 * done")],
    "cost: overload of an idle path": [
        ("x = inflight ? lw_ratio(inflight + own, p->inv_knee, LW_RATIO_MAX) : 0;",
         "x = lw_ratio(inflight + own, p->inv_knee, LW_RATIO_MAX);"),
        ("	if (!flight) {", "	if (false) {")],
}
CODE = definitions.sections(Path(__file__).with_name("variants.c").read_text(), "variant")
assert set(TEXTS) <= set(CODE), set(TEXTS) - set(CODE)
VARIANTS = {
    AS_IT_IS: Variant(),
    **{name: Variant(code=code, texts=TEXTS.get(name, [])) for name, code in CODE.items()},
    **{name: Variant(options=options) for name, options in OPTIONS.items()},
}
