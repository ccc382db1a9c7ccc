import { parseAbiItem } from 'viem'
import { AbiBook } from '../abi/abi-book.ts'
import { type AbiItem, abiItem } from '../abi/abi-item.ts'
import { SOLIDITY } from './solidity.ts'
import type { Standard } from './standard.ts'
import { TOKENS } from './tokens.ts'

/** What ships, the likeliest first: of two items with one selector that both fit, the former is shown. */
export const STANDARDS: readonly Standard[] = [SOLIDITY, ...TOKENS]

/** Items of texts as Solidity has them, one a line. */
export function parseStandard({ name, items }: Standard): AbiItem[] {
  return items
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => abiItem(parseAbiItem(line), 'table', name))
    .filter((item) => item !== undefined)
}

/** The table that ships, its selectors computed from its texts: some milliseconds of work, to be done once. */
export function selectorTable(): AbiBook {
  return new AbiBook(STANDARDS.flatMap(parseStandard))
}
