import { describe, expect, test } from 'vitest'
import { compareRefusal } from '../../conformance/exceptions.ts'

function judge(expected: string | undefined, refusal: string | undefined) {
  const notes = new Set<string>()
  return { failure: compareRefusal(refusal, expected, notes), notes: [...notes] }
}

describe('a refusal in a published test', () => {
  test.each([
    ['TransactionException.NONCE_IS_MAX', 'nonceOverflow'],
    [
      'BlockException.INVALID_GASLIMIT|BlockException.RLP_STRUCTURES_ENCODING',
      'gas limit 5 is out of bounds after 9',
    ],
    ['TR_NoFunds', 'insufficientFunds'],
  ])('passes without a note if it is the one that %s names', (expected, refusal) => {
    expect(judge(expected, refusal)).toEqual({ failure: undefined, notes: [] })
  })

  test.each([
    ['TransactionException.INSUFFICIENT_BALANCE_FOR_GAS', 'insufficientFunds'],
    ['TransactionException.GAS_LIMIT_ABOVE_CAP', 'gas limit 16777217 exceeds 16777216'],
    [
      'TransactionException.TYPE_4_INVALID_AUTHORIZATION_FORMAT',
      'rlp: too few elements for types.SetCodeTx',
    ],
    ['TransactionException.CHAIN_ID_MISMATCH', 'chain id 5, want 1'],
    ['BlockException.INVALID_STATE_ROOT', 'wrong state root'],
    ['BlockException.RLP_BLOCK_LIMIT_EXCEEDED', 'the block has 9000000 bytes, more than 8388608'],
    ['BlockException.TOO_MANY_UNCLES', '3 ommers, more than 2'],
    ['TR_FeeTooLow', 'feeCapBelowBaseFee'],
    // A known name whose rule is broken in a way that its row lacks.
    ['TransactionException.RLP_INVALID_NONCE', 'rlp: leading zero bytes for nonce'],
  ])('passes with a note if a rule related to %s refused', (expected, refusal) => {
    const { failure, notes } = judge(expected, refusal)
    expect(failure).toBeUndefined()
    expect(notes).toEqual([
      `${expected}: refused by a rule of its kind: ${refusal.replace(/\d+/g, 'N')}`,
    ])
  })

  test('passes with a note if the expected name is unknown', () => {
    expect(judge('BlockException.QUANTUM', 'number 7 does not follow 5')).toEqual({
      failure: undefined,
      notes: [
        'BlockException.QUANTUM: no name that is known: refused all the same: number N does not follow N',
      ],
    })
  })

  test.each([
    ['TransactionException.NONCE_IS_MAX', 'insufficientFunds'],
    ['TransactionException.INSUFFICIENT_BALANCE_FOR_GAS', 'nonceTooLow'],
    ['BlockException.INVALID_LOG_BLOOM', 'gas used is 5, but the header states 7'],
  ])('fails if the reason is another than %s', (expected, refusal) => {
    expect(judge(expected, refusal).failure).toBe(`refused: ${refusal}, want ${expected}`)
  })

  test('fails if it is missing or not expected, whatever the name', () => {
    expect(judge('BlockException.QUANTUM', undefined).failure).toBe(
      'taken, want BlockException.QUANTUM',
    )
    expect(judge(undefined, 'nonceTooLow').failure).toBe('refused: nonceTooLow')
  })
})
