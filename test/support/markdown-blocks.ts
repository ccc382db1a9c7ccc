/** A fenced block of a page of Markdown. */
export interface FencedBlock {
  /** The language after the fence, empty if there is none. */
  readonly language: string
  readonly text: string
}

/** Returns the fenced blocks of a page in order. */
export function fencedBlocks(page: string): readonly FencedBlock[] {
  const fences = page.matchAll(/^```(\w*)[^\n]*\n(.*?)^```$/gms)
  return Array.from(fences, ([, language = '', text = '']) => ({ language, text }))
}

/** Returns true if a quote is still open at the end of shell text. */
function isOpen(text: string): boolean {
  return (text.match(/'/g)?.length ?? 0) % 2 === 1
}

/** Returns the commands of a shell block. A command with an open quote continues in the next line. */
export function commandsOf(text: string): readonly string[] {
  const commands: string[] = []
  let open = ''
  for (const line of text.trimEnd().split('\n')) {
    const command = open === '' ? line : `${open}\n${line}`
    if (isOpen(command)) {
      open = command
    } else {
      open = ''
      commands.push(command)
    }
  }
  return open === '' ? commands : [...commands, open]
}

/** Returns the commands in the running text, between backquotes. */
export function inlineCommands(page: string): readonly string[] {
  const prose = page.replace(/^```.*?^```$/gms, '')
  const quoted = prose.matchAll(/`((?:npm|npx|node|lockstep) [^`]+)`/g)
  return [...new Set(Array.from(quoted, ([, command = '']) => command.replace(/\s+/g, ' ')))]
}
