# What shtab cannot know: see generate.py.

# Maps that use the selector.
_dm_lw_maps() {
  local root=/sys/kernel/dm-latency-weighted
  compadd "$@" -- ${(f)"$(cat $root/*/name(N) /dev/null 2>/dev/null)"} $root/*(N/:t)
}

# Of whatever selector.
_dm_lw_multipath_maps() {
  local uuid
  for uuid in /sys/block/dm-*/dm/uuid(N); do
    grep -qs '^mpath-' $uuid && compadd "$@" -- "$(<${uuid%uuid}name)"
  done
}

_dm_lw_map_or_path() {
  local directory
  if [[ $PREFIX == */* ]]; then
    for directory in /sys/kernel/dm-latency-weighted/*(N/); do
      if [[ ${PREFIX%%/*} == (${directory:t}|"$(cat $directory/name 2>/dev/null)") ]]; then
        compset -P 1 '*/'
        compadd -- $directory/paths/*(N/:t)
        return
      fi
    done
  fi
  _dm_lw_maps -S ''
}

# What can be set of the map or path that was named before.
_dm_lw_keys() {
  local word
  local -a keys=(${=_dm_lw_map_keys})
  for word in ${words[2,CURRENT-1]}; do
    [[ $word == */* ]] && keys=(${=_dm_lw_path_keys})
  done
  compadd "$@" -- $keys
}

_dm_lw_key_value() {
  _dm_lw_keys -S =
}

_dm_lw_columns() {
  compset -P '+'
  _sequence compadd - ${=_dm_lw_column_names}
}

_dm_lw_policy_actions() {
  compadd -- ${=_dm_lw_policy_action_names}
}

# Files of what reads one, else maps.
_dm_lw_policy_words() {
  if [[ -n ${words[(r)(load|build)]} ]]; then
    _files
  else
    _dm_lw_maps
  fi
}

_dm_lw_jobs() {
  compadd -- ${=_dm_lw_job_names}
}

