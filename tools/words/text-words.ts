import type { Mention } from '../mentions/mention.ts'
import { REPLACED_WORDS } from './replaced-words.ts'

/** "where" is for places: geth, reth, viem and lodestar use it up to 7 times in 10,000 words. */
export const MOST_WHERE = 15
/** Below so many words a rate says nothing. */
const FEWEST_WORDS = 3_000
const PER_WORDS = 10_000

export interface WordFault {
  readonly at: string
  readonly problem: string
}

/** Finds the wordings of the table in lines of comments or of prose. */
export function replacedWordsIn(lines: readonly Mention[]): readonly WordFault[] {
  return lines.flatMap(({ file, line, text }) =>
    REPLACED_WORDS.flatMap(({ pattern, say }) => {
      const [found] = pattern.exec(text) ?? []
      return found === undefined
        ? []
        : [{ at: `${file}:${line}`, problem: `"${found}": say ${say}` }]
    }),
  )
}

/** Counts "where" by room: folders of `host/`, and each other top-level folder as one. */
export function whereRates(lines: readonly Mention[]): readonly WordFault[] {
  const rooms = new Map<string, { words: number; where: number }>()
  for (const { file, text } of lines) {
    const [top = '', room = ''] = file.split('/')
    const name = top === 'host' && room.includes('.') === false ? `${top}/${room}` : top
    const counts = rooms.get(name) ?? { words: 0, where: 0 }
    counts.words += text.match(/[A-Za-z]+/g)?.length ?? 0
    counts.where += text.match(/\bwhere\b/gi)?.length ?? 0
    rooms.set(name, counts)
  }
  return Array.from(rooms).flatMap(([at, { words, where }]) => {
    const rate = Math.round((where / words) * PER_WORDS)
    return words < FEWEST_WORDS || rate <= MOST_WHERE
      ? []
      : [{ at, problem: `"where" ${rate} times in ${PER_WORDS} words: say if or when` }]
  })
}
