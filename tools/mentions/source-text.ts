import type { Mention } from './mention.ts'

/** The texts for people in a source file. */
export interface SourceText {
  /** Quoted strings, without quotes. */
  readonly strings: readonly Mention[]
  /** Comments, line by line. */
  readonly comments: readonly Mention[]
}

/** A comment, or a string in one of the three kinds of quotes, whichever comes first. */
const TOKEN =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\[\s\S])*`/g

/** Reads the comments and the strings of a source file. A regular expression that contains quotes may hide some. */
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
