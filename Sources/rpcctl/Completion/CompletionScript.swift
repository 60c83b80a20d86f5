/// The shell scripts that call rpcctl for completions.
enum CompletionScript: String, CaseIterable {
  case bash
  case zsh
  case fish

  var text: String {
    switch self {
    case .bash: Self.bashText
    case .zsh: Self.zshText
    case .fish: Self.fishText
    }
  }

  private static let bashText = #"""
    # Completion of rpcctl for bash: source <(rpcctl completion bash)
    _rpcctl() {
      local program=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]} shell line word prefix
      COMPREPLY=()
      command -v -- "$program" >/dev/null 2>&1 || program=rpcctl
      {
        IFS= read -r shell || return 0
        while IFS= read -r line; do
          printf -v word %q "${line%%$'\t'*}"
          COMPREPLY+=("$word")
        done
      } < <("$program" __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
      # bash ends a word at a colon.
      if [[ $current == *:* && $COMP_WORDBREAKS == *:* ]]; then
        prefix=${current%"${current##*:}"}
        COMPREPLY=("${COMPREPLY[@]#"$prefix"}")
      fi
      [[ $current == = ]] && current=
      case $shell in
        files)
          compopt -o filenames 2>/dev/null
          while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$current")
          ;;
        folders)
          compopt -o filenames 2>/dev/null
          while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -d -- "$current")
          ;;
      esac
    }
    complete -F _rpcctl rpcctl

    """#

  private static let zshText = #"""
    #compdef rpcctl
    # Completion of rpcctl for zsh: rpcctl completion zsh > "${fpath[1]}/_rpcctl"
    _rpcctl() {
      local program=${(Q)words[1]} shell line
      local -a lines candidates
      (( $+commands[$program] )) || [[ -x $program ]] || program=rpcctl
      lines=("${(@f)$($program __complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
      shell=${lines[1]}
      for line in "${(@)lines[2,-1]}"; do
        [[ -n $line ]] || continue
        if [[ $line == *$'\t'* ]]; then
          candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
        else
          candidates+=("${line//:/\\:}")
        fi
      done
      (( $#candidates )) && _describe -V -t values rpcctl candidates
      case $shell in
        files) _files ;;
        folders) _files -/ ;;
      esac
    }
    if [[ ${funcstack[1]} == _rpcctl ]]; then
      _rpcctl "$@"
    else
      compdef _rpcctl rpcctl
    fi

    """#

  private static let fishText = #"""
    # Completion of rpcctl for fish: rpcctl completion fish > ~/.config/fish/completions/rpcctl.fish
    function __rpcctl_complete
      set -l words (commandline -opc)
      set -l current (commandline -ct)
      set -l program $words[1]
      type -q -- $program; or set program rpcctl
      set -l lines ($program __complete -- $words[2..-1] "$current" 2>/dev/null)
      switch "$lines[1]"
        case files
          __fish_complete_path "$current"
        case folders
          __fish_complete_directories "$current"
      end
      for line in $lines[2..-1]
        echo -- $line
      end
    end
    complete -c rpcctl -f -a '(__rpcctl_complete)'

    """#
}
