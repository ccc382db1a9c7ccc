import { describe, expect, test } from 'vitest'
import { bigintToBytes, concatBytes } from '../../../../host/base/bytes.ts'
import { formatData } from '../../../../host/base/hex.ts'
import type { Authorization } from '../../../../host/evm/chain-types/transaction.ts'
import { EMPTY_CODE_HASH } from '../../../../host/evm/state/account.ts'
import { assemble } from '../../../support/engine/bytecode.ts'
import { address, BLOCK, stateWith } from '../../../support/engine/engine-fixture.ts'
import { makeSigner, signAuthorization } from '../../../support/peer/signer.ts'
import { runTracer } from './tracer-run.ts'

const TARGET = address(0x3333)
const OTHER = address(0x4444)
const signer = makeSigner(0xa0n)
const AUTHORITY = bigintToBytes(signer.address, 20)
const authority = formatData(AUTHORITY)
const designator = (to: Uint8Array) => concatBytes([Uint8Array.of(0xef, 1, 0), to])

const signed = (to: Uint8Array, nonce: bigint, chainId = BLOCK.chainId): Authorization =>
  signAuthorization(signer, { chainId, address: to, nonce })

/** The authority has nonce 3 and the code; both targets have code. */
function stateOf(code: Uint8Array = new Uint8Array()) {
  const state = stateWith(assemble('STOP'))
  state.setAccount(AUTHORITY, 3n, 9n, code)
  state.setAccount(TARGET, 1n, 0n, assemble(1, 2, 'ADD'))
  state.setAccount(OTHER, 1n, 0n, assemble(1, 2, 'MUL'))
  return state
}

type Accounts = Readonly<Record<string, { code?: string; codeHash?: string; nonce?: number }>>

const prestate = (
  state: ReturnType<typeof stateOf>,
  authorizations: Authorization[],
  to: Uint8Array,
) => runTracer<Accounts>('prestateTracer', state, { type: 4, to, authorizations, gas: 200_000n })

describe('the state before a transaction with authorizations (EIP-7702)', () => {
  test('has the old delegation of the callee, not the new one', async () => {
    const accounts = await prestate(stateOf(designator(OTHER)), [signed(TARGET, 3n)], AUTHORITY)
    expect(accounts[authority]).toMatchObject({ code: formatData(designator(OTHER)), nonce: 3 })
    expect(accounts).toHaveProperty(formatData(OTHER))
    expect(accounts).not.toHaveProperty(formatData(TARGET))
  })

  test('excludes a delegation that the transaction sets', async () => {
    const accounts = await prestate(stateOf(), [signed(TARGET, 3n)], AUTHORITY)
    expect(accounts[authority]).toEqual({ balance: '0x9', nonce: 3 })
    expect(accounts).not.toHaveProperty(formatData(TARGET))
  })

  test.each([
    ['another chain', signed(TARGET, 3n, 99n)],
    ['another nonce', signed(TARGET, 8n)],
  ])('includes the authority of an authorization of %s', async (_, authorization) => {
    expect(await prestate(stateOf(), [authorization], TARGET)).toHaveProperty(authority)
  })

  test.each([
    ['too large a parity', { ...signed(TARGET, 3n), yParity: 2n }],
    ['too large an s', { ...signed(TARGET, 3n), s: (1n << 255n) + 1n }],
  ])('excludes the authority of an authorization with %s', async (_, authorization) => {
    expect(await prestate(stateOf(), [authorization], TARGET)).not.toHaveProperty(authority)
  })
})

describe('the changes of a transaction with authorizations', () => {
  const diff = (state: ReturnType<typeof stateOf>, authorizations: Authorization[]) =>
    runTracer<{ pre: Accounts; post: Accounts }>(
      'prestateTracer',
      state,
      { type: 4, to: TARGET, authorizations, gas: 200_000n },
      { diffMode: true },
    )

  test('include no code if a delegation is removed', async () => {
    const state = stateOf(designator(OTHER))
    const { post } = await diff(state, [signed(new Uint8Array(20), 3n)])
    expect(post[authority]).toEqual({
      code: '0x',
      codeHash: formatData(EMPTY_CODE_HASH),
      nonce: 4,
    })
  })

  test('include no code if a delegation is set and removed', async () => {
    const { post } = await diff(stateOf(), [signed(TARGET, 3n), signed(new Uint8Array(20), 4n)])
    expect(post[authority]).toEqual({ nonce: 5 })
  })

  test('cannot be requested together with empty accounts', async () => {
    await expect(
      runTracer('prestateTracer', stateOf(), {}, { diffMode: true, includeEmpty: true }),
    ).rejects.toThrow('cannot use diffMode with includeEmpty')
  })
})
