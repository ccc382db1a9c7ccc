import type { Revision } from '../../../../evm/chain-types/revision.ts'

/** The price of an opcode in words, from a revision on. */
export type GasWords = readonly (readonly [since: Revision, words: string])[]

export interface OpcodeDescription {
  readonly code: number
  readonly name: string
  /** Operands, top of the stack first, and results. */
  readonly taken: readonly string[]
  readonly left: readonly string[]
  /** In one sentence. */
  readonly does: string
  readonly gas: GasWords
  readonly since: Revision
  /** EIPs that introduced it or changed its behaviour or price. */
  readonly eips: readonly number[]
}

/** Builds a row. Names of operands and results are separated by spaces; `...` stands for words left unchanged. */
export function row(
  code: number,
  name: string,
  stack: string,
  does: string,
  gas: number | GasWords,
  since: Revision = 'Frontier',
  ...eips: readonly number[]
): OpcodeDescription {
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
