import type { Revision } from '../../../../evm/chain-types/revision.ts'

/** What an opcode costs, in words, from a revision on. */
export type GasWords = readonly (readonly [since: Revision, words: string])[]

export interface OpcodeRow {
  readonly code: number
  readonly name: string
  /** Operands, the top of the stack first, and results. */
  readonly taken: readonly string[]
  readonly left: readonly string[]
  /** In one sentence. */
  readonly does: string
  readonly gas: GasWords
  readonly since: Revision
  /** Proposals that brought it or changed what it does or costs. */
  readonly eips: readonly number[]
}

/** Names of operands and results, split at spaces; `...` stands for words that are left alone. */
export function row(
  code: number,
  name: string,
  stack: string,
  does: string,
  gas: number | GasWords,
  since: Revision = 'Frontier',
  ...eips: readonly number[]
): OpcodeRow {
  const [taken = '', left = ''] = stack.split('->')
  const names = (side: string) => side.split(' ').filter((each) => each !== '')
  return {
    code,
    name,
    taken: names(taken),
    left: names(left),
    does,
    gas: typeof gas === 'number' ? [['Frontier', `${gas}`]] : gas,
    since,
    eips,
  }
}
