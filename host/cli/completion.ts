import { Argument, Command } from 'commander'
import { CONFIG_ENTRIES, LIST_ENTRIES } from '../base/config/schema.ts'
import { lookup } from '../base/lookup.ts'

/** The parts of the command table that completion needs. */
export interface CommandTable {
  readonly rows: readonly {
    readonly name: string
    readonly group?: string
    readonly summary: string
    readonly load: () => Promise<(command: Command) => void>
  }[]
  /** By full name, which includes the names of the parent groups. */
  readonly groups: Readonly<
    Record<string, { readonly summary: string; readonly aliases: readonly string[] }>
  >
}

/** The candidates after the words of a command line. */
interface Place {
  /** The words before: empty, a group or a command. */
  readonly words: string
  readonly candidates: readonly Candidate[]
  /** Values of flags with a fixed set of values. */
  readonly values: ReadonlyMap<string, readonly string[]>
}

interface Candidate {
  readonly word: string
  readonly summary: string
}

const SHELLS = { bash, zsh, fish } as const

type Shell = keyof typeof SHELLS

const COMMON: readonly Candidate[] = [
  { word: '--help', summary: 'show this help' },
  { word: '--verbose', summary: 'show the stack of an error' },
]

/** Values of command arguments with a fixed set of values. */
const ARGUMENTS: Readonly<Record<string, readonly Candidate[]>> = {
  completion: (['bash', 'zsh', 'fish'] as const).map((word) => ({ word, summary: 'shell' })),
  'config explain': [
    ...CONFIG_ENTRIES.map(({ flag, help }) => ({ word: flag, summary: help })),
    ...LIST_ENTRIES.map(({ header, help }) => ({ word: header, summary: help })),
  ],
}

const ownName = (group: string): string => group.slice(group.lastIndexOf(' ') + 1)

/** Returns the parent of a group; empty if it has none. */
const parentOf = (group: string): string => group.slice(0, Math.max(group.lastIndexOf(' '), 0))

/** Returns every spelling of a group. */
function names(table: CommandTable, group: string): readonly string[] {
  const own = [ownName(group), ...(lookup(table.groups, group)?.aliases ?? [])]
  const parent = parentOf(group)
  if (parent === '') return own
  return names(table, parent).flatMap((above) => own.map((name) => `${above} ${name}`))
}

async function placesOf(table: CommandTable, row: CommandTable['rows'][number]): Promise<Place[]> {
  const command = new Command(row.name)
  const define = await row.load()
  define(command)
  const values = new Map<string, readonly string[]>()
  const flags = command.options.flatMap(
    ({ long, description, argChoices, hidden }): Candidate[] => {
      if (long === undefined || long === null || hidden) return []
      if (argChoices !== undefined) values.set(long, argChoices)
      return [{ word: long, summary: description }]
    },
  )
  const groups = row.group === undefined ? [''] : names(table, row.group).map((name) => `${name} `)
  const own = row.group === undefined ? row.name : `${row.group} ${row.name}`
  const candidates = [...(lookup(ARGUMENTS, own) ?? []), ...flags, ...COMMON]
  return groups.map((group) => ({ words: `${group}${row.name}`, candidates, values }))
}

/** Returns every position of the command line, from the table of commands and their flags. */
async function places(table: CommandTable): Promise<readonly Place[]> {
  const { rows: commands } = table
  const groups = Object.keys(table.groups)
  const summaryOf = (group: string): string => lookup(table.groups, group)?.summary ?? ''
  const top: Candidate[] = [
    ...commands
      .filter(({ group }) => group === undefined)
      .map(({ name, summary }) => ({
        word: name,
        summary,
      })),
    ...groups
      .filter((group) => parentOf(group) === '')
      .flatMap((group) => names(table, group).map((word) => ({ word, summary: summaryOf(group) }))),
    ...COMMON,
    { word: '--version', summary: 'print the version' },
  ]
  const values = new Map<string, readonly string[]>()
  const ofGroups = groups.flatMap((group) => {
    const rows = commands.filter((row) => row.group === group)
    const inner = groups.filter((each) => parentOf(each) === group)
    const candidates = [
      ...rows.map(({ name, summary }) => ({ word: name, summary })),
      ...inner.map((each) => ({ word: ownName(each), summary: summaryOf(each) })),
    ]
    return names(table, group).map((words) => ({ words, candidates, values }))
  })
  const ofCommands: Place[] = []
  for (const row of commands) ofCommands.push(...(await placesOf(table, row)))
  return [{ words: '', candidates: top, values }, ...ofGroups, ...ofCommands]
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Returns the shell lines that complete by the words before, and by the flag whose value is being typed. */
function cases(
  all: readonly Place[],
  line: (place: Place) => string,
  valueLine: (values: readonly string[]) => string,
): string {
  const values = all.flatMap(({ words, values: of }) =>
    Array.from(of, ([flag, list]) => `    ${quote(`${words} ${flag}`)}) ${valueLine(list)} ;;`),
  )
  const words = all.map((place) => `    ${quote(place.words)}) ${line(place)} ;;`)
  return [
    '  case "$place $previous" in',
    ...values,
    '  esac',
    '  case "$place" in',
    ...words,
    '  esac',
  ].join('\n')
}

/** Returns the shell lines that find the command's words in an array; the words after the program start at `first`. */
function placeLines(all: readonly Place[], array: string, first: number): string {
  const known = all.filter(({ words }) => words !== '').map(({ words }) => quote(words))
  return [
    '  place=',
    `  for ((i = ${first}; i < current; i++)); do`,
    `    word="\${${array}[i]}"`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's own
    '    joined="${place:+$place }$word"',
    '    case "$joined" in',
    `      ${known.join('|')}) place="$joined" ;;`,
    '    esac',
    '  done',
  ].join('\n')
}

function bash(all: readonly Place[]): string {
  const words = ({ candidates }: Place): string =>
    `COMPREPLY=($(compgen -W ${quote(candidates.map(({ word }) => word).join(' '))} -- "$written"))`
  const values = (list: readonly string[]): string =>
    `COMPREPLY=($(compgen -W ${quote(list.join(' '))} -- "$written")); return`
  return `# bash completion of lockstep: source <(lockstep completion bash)
_lockstep() {
  local written previous place word joined i current=$COMP_CWORD
  written="\${COMP_WORDS[COMP_CWORD]}"
  previous="\${COMP_WORDS[COMP_CWORD - 1]}"
  COMPREPLY=()
${placeLines(all, 'COMP_WORDS', 1)}
${cases(all, words, values)}
}
complete -o bashdefault -o default -F _lockstep lockstep
`
}

function zsh(all: readonly Place[]): string {
  const described = ({ candidates }: Place): string =>
    `choices=(${candidates.map(({ word, summary }) => quote(`${word.replaceAll(':', '\\:')}:${summary}`)).join(' ')})`
  const values = (list: readonly string[]): string =>
    `compadd -- ${list.map(quote).join(' ')}; return`
  return `#compdef lockstep
# zsh completion of lockstep: lockstep completion zsh > "\${fpath[1]}/_lockstep"
_lockstep() {
  local previous place word joined i current=$CURRENT
  local -a choices
  previous="\${words[CURRENT - 1]}"
${placeLines(all, 'words', 2)}
${cases(all, described, values)}
  _describe 'lockstep' choices || _files
}
compdef _lockstep lockstep
`
}

function fish(all: readonly Place[]): string {
  const lines = all.flatMap(({ words, candidates, values }) => [
    ...candidates.map(({ word, summary }) => {
      const at = `-n ${quote(`__lockstep_at ${quote(words)}`)}`
      const described = `-d ${quote(summary)}`
      if (!word.startsWith('--')) return `complete -c lockstep ${at} -a ${quote(word)} ${described}`
      const list = values.get(word)
      const value = list === undefined ? '' : ` -x -a ${quote(list.join(' '))}`
      return `complete -c lockstep ${at} -l ${quote(word.slice(2))}${value} ${described}`
    }),
  ])
  const known = all.filter(({ words }) => words !== '').map(({ words }) => quote(words))
  return `# fish completion of lockstep: lockstep completion fish > ~/.config/fish/completions/lockstep.fish
function __lockstep_at
  set -l place ''
  for word in (commandline -opc)[2..-1]
    set -l joined (string trim -- "$place $word")
    if contains -- "$joined" ${known.join(' ')}
      set place "$joined"
    end
  end
  test "$place" = "$argv[1]"
end
${lines.join('\n')}
`
}

export function completionOf(table: CommandTable): (command: Command) => void {
  return (command) => {
    command
      .addArgument(new Argument('<shell>', 'shell that completes').choices(Object.keys(SHELLS)))
      .action(async (shell: Shell) => {
        process.stdout.write(SHELLS[shell](await places(table)))
      })
  }
}
