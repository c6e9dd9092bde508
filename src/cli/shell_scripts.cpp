// Every script asks the same function of the shell for values: a case for each flag and positional
// whose values are known, either as words or as a command that lists them. Which flag the cursor
// is behind, and which command, is the shell's to say.

#include "shell_scripts.hpp"

#include "base/format.hpp"
#include "parser.hpp"

namespace rooflab::cli {
namespace {

std::string in_quotes(std::string_view text) {
  std::string safe;
  for (const char c : text) safe += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return "'" + safe + "'";
}

/// The first column of a list that the program prints.
std::string listed(std::string_view command) {
  return format("$(rooflab {} --format csv 2>/dev/null | tail -n +2 | cut -d, -f1)", command);
}

/// Words for a shell: fixed ones, and commands in $( ) that list more. `@files`, `@folders`: names
/// of files; empty: not known.
std::string candidates(const Parameter& parameter) {
  std::vector<std::string> fixed = parameter.offered();
  fixed.insert(fixed.end(), parameter.suggestions.begin(), parameter.suggestions.end());
  std::string words = join(fixed, " ");
  switch (parameter.completes) {
    case Completion::none:
      return words;
    case Completion::file:
      return "@files";
    case Completion::folder:
      return "@folders";
    case Completion::model:
      return "@files " + listed("models");
    case Completion::device:
      return words.empty() ? listed("devices") : words;
    case Completion::run_device:
      return "cpu cuda gpu here";
    case Completion::link:
      return listed("devices --links");
    case Completion::rewrite:
      return listed("models --rewrites");
    case Completion::command:
      return "@commands";
  }
  return words;
}

std::vector<std::string> flags_of(const Parameter& parameter) {
  std::vector<std::string> flags = {parameter.flag()};
  if (parameter.letter != 0) flags.push_back(format("-{}", parameter.letter));
  return flags;
}

Parameters with_common(const CommandSpec& command) {
  Parameters all = command.parameters;
  const Parameters& common = common_flags().parameters;
  all.insert(all.end(), common.begin(), common.end());
  return all;
}

/// A shell's `case` of `COMMAND FLAG`, and of `COMMAND N` for the N-th positional (`COMMAND *` for
/// those from a list on).
std::string value_cases(std::span<const CommandSpec> commands) {
  std::string cases;
  for (const CommandSpec& command : commands) {
    int position = 0;
    for (const Parameter& each : with_common(command)) {
      if (each.is_switch()) continue;
      std::string pattern;
      if (each.positional) {
        ++position;
        pattern = each.is_list() ? format("'{} '[0-9]*", command.name)
                                 : format("'{} {}'", command.name, position);
      } else {
        for (const std::string& flag : flags_of(each)) {
          pattern += format("{}'{} {}'", pattern.empty() ? "" : "|", command.name, flag);
        }
      }
      const std::string words = candidates(each);
      if (!words.empty()) cases += format("    {}) echo \"{}\" ;;\n", pattern, words);
    }
  }
  return cases;
}

std::string flag_cases(std::span<const CommandSpec> commands) {
  std::string cases;
  for (const CommandSpec& command : commands) {
    std::string flags = "-h --help";
    for (const Parameter& each : with_common(command)) {
      if (!each.positional) flags += " " + join(flags_of(each), " ");
    }
    cases += format("    {}) echo '{}' ;;\n", command.name, flags);
  }
  return cases;
}

/// Patterns `COMMAND FLAG` of flags that take a value.
std::string valued_flags(std::span<const CommandSpec> commands) {
  std::string patterns;
  for (const CommandSpec& command : commands) {
    for (const Parameter& each : with_common(command)) {
      if (each.positional || each.is_switch()) continue;
      for (const std::string& flag : flags_of(each)) {
        patterns += format("{}'{} {}'", patterns.empty() ? "" : "|", command.name, flag);
      }
    }
  }
  return patterns;
}

std::string command_names(std::span<const CommandSpec> commands) {
  std::vector<std::string> names;
  for (const CommandSpec& each : commands) names.push_back(each.name);
  return join(names, " ");
}

/// Functions for bash and for zsh, which reads them too.
std::string functions(std::span<const CommandSpec> commands) {
  return format(R"(_rooflab_values() {{
  case "$1 $2" in
{}  esac
}}
_rooflab_flags() {{
  case $1 in
{}  esac
}}
_rooflab_takes_value() {{
  case "$1 $2" in
    {}) return 0 ;;
  esac
  return 1
}}
)",
                value_cases(commands), flag_cases(commands), valued_flags(commands));
}

}  // namespace

std::string bash_completion(std::span<const CommandSpec> commands) {
  return functions(commands) + format(R"(_rooflab() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}}
  local head= word=$cur values= place=0 i
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{}' -- "$cur"))
    return
  fi
  if _rooflab_takes_value "$command" "$previous"; then
    values=$(_rooflab_values "$command" "$previous")
  elif [ "${{cur#-}}" != "$cur" ]; then
    values=$(_rooflab_flags "$command")
  else
    for ((i = 2; i <= COMP_CWORD; i++)); do
      [ "${{COMP_WORDS[i]#-}}" != "${{COMP_WORDS[i]}}" ] && [ "$i" -lt "$COMP_CWORD" ] && continue
      _rooflab_takes_value "$command" "${{COMP_WORDS[i-1]}}" || place=$((place + 1))
    done
    values=$(_rooflab_values "$command" "$place")
  fi
  case $cur in *,*) head=${{cur%,*}}, word=${{cur##*,}} ;; esac
  case $values in
    @files*) COMPREPLY=($(compgen -f -- "$cur")) values=${{values#@files}} ;;
    @folders*) COMPREPLY=($(compgen -d -- "$cur")) values= ;;
    @commands*) values='{}' ;;
  esac
  COMPREPLY+=($(compgen -P "$head" -W "$values" -- "$word"))
}}
complete -o filenames -F _rooflab rooflab
)",
                                      command_names(commands), command_names(commands));
}

std::string zsh_completion(std::span<const CommandSpec> commands) {
  return "#compdef rooflab\n" + functions(commands) +
         format(R"(_rooflab() {{
  local previous=${{words[CURRENT-1]}} command=${{words[2]}} values= place=0 i
  if (( CURRENT == 2 )); then
    compadd -- {}
    return
  fi
  if _rooflab_takes_value "$command" "$previous"; then
    values=$(_rooflab_values "$command" "$previous")
  elif [[ $PREFIX == -* ]]; then
    values=$(_rooflab_flags "$command")
  else
    for (( i = 3; i <= CURRENT; i++ )); do
      [[ ${{words[i]}} == -* && $i -lt $CURRENT ]] && continue
      _rooflab_takes_value "$command" "${{words[i-1]}}" || (( place++ ))
    done
    values=$(_rooflab_values "$command" "$place")
  fi
  case $values in
    @files*) _files; values=${{values#@files}} ;;
    @folders*) _files -/; values= ;;
    @commands*) values='{}' ;;
  esac
  compset -P '*,'
  compadd -- ${{=values}}
}}
compdef _rooflab rooflab
)",
                command_names(commands), command_names(commands));
}

std::string fish_completion(std::span<const CommandSpec> commands) {
  std::string text;
  const std::string all = command_names(commands);
  for (const CommandSpec& command : commands) {
    text += format("complete -c rooflab -n __fish_use_subcommand -f -a {} -d {}\n", command.name,
                   in_quotes(command.summary));
    const std::string seen =
        format("complete -c rooflab -n '__fish_seen_subcommand_from {}'", command.name);
    for (const Parameter& each : with_common(command)) {
      std::string words = candidates(each);
      const bool files = words.starts_with("@files") || words.starts_with("@folders");
      if (words == "@commands") words = all;
      if (files)
        words = words.find(' ') == std::string::npos ? "" : words.substr(words.find(' ') + 1);
      if (words.starts_with("$(")) words = words.substr(1);  // as fish writes it
      std::string line = seen;
      if (!each.positional) {
        for (const std::string& flag : flags_of(each)) {
          line += flag.starts_with("--") ? format(" -l {}", flag.substr(2))
                                         : format(" -s {}", flag.substr(1));
        }
        if (!each.is_switch()) line += files || words.empty() ? " -r" : " -x";
      } else if (words.empty()) {
        continue;
      }
      if (!words.empty()) {
        line += each.is_list() ? format(" -a '(__fish_append , {})'", words)
                               : format(" -a {}", in_quotes(words));
      }
      text += format("{} -d {}\n", line, in_quotes(each.help));
    }
  }
  return text;
}

}  // namespace rooflab::cli
