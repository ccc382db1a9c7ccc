import type { Mention } from './mention.ts'

/** What a source file says to people. */
export interface SourceText {
  /** Texts between quotes, as they stand between them. */
  readonly strings: readonly Mention[]
  /** Comments, line by line. */
  readonly comments: readonly Mention[]
}

/** A comment, or a text in one of the three kinds of quotes; whatever comes first. */
const TOKEN =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\[\s\S])*`/g

/** Reads the comments and the texts of a source file. A regular expression that holds quotes may hide some. */
export function readSource(file: string, source: string): SourceText {
  const strings: Mention[] = []
  const comments: Mention[] = []
  for (const { 0: token, index } of source.matchAll(TOKEN)) {
    const first = source.slice(0, index).split('\n').length
    const isComment = token.startsWith('/')
    const lines = (isComment ? token : token.slice(1, -1)).split('\n')
    for (const [offset, text] of lines.entries()) {
      const mention = { file, line: first + offset, text: text.replaceAll('\\`', '`') }
      if (isComment) comments.push(mention)
      else strings.push(mention)
    }
  }
  return { strings, comments }
}
