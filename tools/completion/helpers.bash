# What shtab cannot know: see generate.py. $1 is the word that is to be completed.

# Names as they are typed, for compgen -W, which takes one level of quotes off.
_dm_lw_quoted()
{
	sed 's/[^A-Za-z0-9#+.:=@_-]/\\&/g; s/[^A-Za-z0-9#+.:=@_-]/\\&/g'
}

# Maps that use the selector.
_dm_lw_maps()
{
	local root=/sys/kernel/dm-latency-weighted
	compgen -W "$({ cat "$root"/*/name; ls "$root"; } 2>/dev/null | _dm_lw_quoted)" -- "$1"
}

# Of whatever selector.
_dm_lw_multipath_maps()
{
	local uuid
	compgen -W "$(for uuid in /sys/block/dm-*/dm/uuid; do
		grep -qs ^mpath- "$uuid" && cat "${uuid%uuid}name"
	done | _dm_lw_quoted)" -- "$1"
}

# The directory in sysfs of the map that is called $1.
_dm_lw_directory()
{
	local directory name
	for directory in /sys/kernel/dm-latency-weighted/*/; do
		name=
		read -r name 2>/dev/null <"$directory/name"
		case "$1" in
		"$name" | "$(basename "$directory")")
			echo "$directory"
			return
			;;
		esac
	done
}

_dm_lw_map_or_path()
{
	local directory
	case "$1" in
	*/*)
		directory="$(_dm_lw_directory "${1%%/*}")"
		[ -n "$directory" ] && compgen -P "${1%%/*}/" -W \
			"$(ls "$directory/paths" 2>/dev/null)" -- "${1#*/}"
		;;
	*)
		_dm_lw_maps "$1"
		;;
	esac
}

# What can be set of the map or path that was named before; $2 follows each key.
_dm_lw_keys()
{
	local word keys=
	for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
		case "$word" in
		set | unset) keys="$_dm_lw_map_keys" ;;
		*/*) keys="$_dm_lw_path_keys" ;;
		esac
	done
	compgen -S "$2" -W "$keys" -- "$1"
}

_dm_lw_key_value()
{
	_dm_lw_keys "$1" =
}

# A list: complete its last word.
_dm_lw_columns()
{
	local done=
	case "$1" in
	*,*)
		done="${1%,*},"
		;;
	+*)
		done=+
		;;
	esac
	compgen -P "$done" -W "$_dm_lw_column_names" -- "${1#"$done"}"
}

_dm_lw_policy_actions()
{
	compgen -W "$_dm_lw_policy_action_names" -- "$1"
}

# Files of what reads one, else maps.
_dm_lw_policy_words()
{
	local word
	for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
		case "$word" in
		load | build)
			compgen -f -- "$1"
			return
			;;
		esac
	done
	_dm_lw_maps "$1"
}

_dm_lw_jobs()
{
	compgen -W "$_dm_lw_job_names" -- "$1"
}

