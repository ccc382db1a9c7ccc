import { keccak_256 } from '@noble/hashes/sha3.js'
import { describe, expect, test } from 'vitest'
import { bigintToBytes, concatBytes } from '../../../../../host/base/bytes.ts'
import { formatData } from '../../../../../host/base/hex.ts'
import type { BlockEnv, TransactionInput } from '../../../../../host/evm/engine/message.ts'
import { answerFrom } from '../../../../../host/evm/state/answer.ts'
import { ChunkedJsonWriter } from '../../../../../host/evm/trace/json-writer.ts'
import { prestateTracer } from '../../../../../host/evm/trace/tracers/prestate-tracer.ts'
import type { TestState } from '../../../../support/chain/test-state.ts'
import { assemble } from '../../../../support/engine/bytecode.ts'
import {
  address,
  BLOCK,
  COINBASE,
  CONTRACT,
  engineInBlock,
  executed,
  SENDER,
  stateWith,
  transaction,
} from '../../../../support/engine/engine-fixture.ts'

const word = (value: number) => formatData(bigintToBytes(BigInt(value), 32))
const OTHER = address(0x3333)
const BALANCE_OF_SENDER = '0xd3c21bcecceda1000000'
const sender = formatData(SENDER)
const contract = formatData(CONTRACT)

async function prestate(
  state: TestState,
  config: Record<string, unknown> = {},
  fields: Partial<TransactionInput> = {},
  env: BlockEnv = BLOCK,
  keptBytes?: number,
): Promise<unknown> {
  const engine = await engineInBlock(env)
  const chunks: Uint8Array[] = []
  const writer = new ChunkedJsonWriter((chunk) => chunks.push(chunk))
  const input = transaction(fields)
  const message = { input, env, gasPrice: 7n }
  const limits = { structLogBytes: 0, ...(keptBytes !== undefined && { keptBytes }) }
  const tracer = prestateTracer({ message, config, limits, view: state, writer })
  const run = engine.transact(input, { trace: tracer.sink, discard: true })
  tracer.finish(executed(answerFrom(run, state)))
  writer.flush()
  return JSON.parse(Buffer.concat(chunks).toString())
}

/** Writes slot 1, reads slot 2, reads OTHER's balance. */
const CODE = assemble(9, 1, 'SSTORE', 2, 'SLOAD', 'POP', 0x3333, 'BALANCE', 'POP')
const shownCode = { code: formatData(CODE), codeHash: formatData(keccak_256(CODE)) }

function stored(): TestState {
  const state = stateWith(CODE)
  state.setStorage(CONTRACT, bigintToBytes(1n, 32), bigintToBytes(5n, 32))
  state.setStorage(CONTRACT, bigintToBytes(2n, 32), bigintToBytes(6n, 32))
  state.setAccount(OTHER, 0n, 3n, new Uint8Array())
  return state
}

const rich = { balance: BALANCE_OF_SENDER }
const account = { balance: '0x5', nonce: 1, ...shownCode }

describe('prestateTracer', () => {
  test('shows touched accounts as they were before, without empty ones', async () => {
    expect(await prestate(stored())).toEqual({
      [sender]: rich,
      [contract]: { ...account, storage: { [word(1)]: word(5), [word(2)]: word(6) } },
      [formatData(OTHER)]: { balance: '0x3' },
    })
  })

  test('omits code or storage, and includes empty accounts, on request', async () => {
    expect(
      await prestate(stored(), { disableCode: true, disableStorage: true, includeEmpty: true }),
    ).toEqual({
      [sender]: rich,
      [contract]: { balance: '0x5', nonce: 1, codeHash: shownCode.codeHash },
      [formatData(OTHER)]: { balance: '0x3' },
      [formatData(COINBASE)]: { balance: '0x0' },
    })
  })

  test('shows the changes before and after in diff mode', async () => {
    const { pre, post } = (await prestate(stored(), { diffMode: true })) as {
      pre: unknown
      post: Record<string, object>
    }
    expect(pre).toEqual({
      [sender]: rich,
      [contract]: { ...account, storage: { [word(1)]: word(5) } },
    })
    // geth treats an account that still does not exist as one whose code hash changed
    expect(Object.keys(post)).toEqual([sender, formatData(COINBASE), contract])
    expect(post[formatData(COINBASE)]).toEqual({ codeHash: word(0) })
    expect(post[contract]).toEqual({ storage: { [word(1)]: word(9) } })
    expect(post[sender]).toMatchObject({ nonce: 1 })
  })

  test('shows only the payments of a failed transaction', async () => {
    const state = stateWith(assemble(9, 1, 'SSTORE', 0, 0, 'REVERT'))
    const { pre, post } = (await prestate(state, { diffMode: true })) as Record<string, object>
    expect(Object.keys(pre as object)).toEqual([sender])
    expect(Object.keys(post as object)).toEqual([sender, formatData(COINBASE)])
  })

  test('shows a created account only in post, and a destroyed one only in pre', async () => {
    // Deploys one byte of code (STOP), then destroys itself in favour of OTHER.
    const initcode = assemble(1, 0, 'RETURN')
    const code = concatBytes([
      assemble('CALLDATASIZE', 0, 0, 'CALLDATACOPY', 'CALLDATASIZE', 0, 0, 'CREATE', 'POP'),
      assemble(0x3333, 'SELFDESTRUCT'),
    ])
    const result = (await prestate(stateWith(code), { diffMode: true }, { data: initcode })) as {
      pre: Record<string, object>
      post: Record<string, { code?: string; nonce?: number }>
    }
    const fresh = Object.entries(result.post).filter(([, shown]) => shown.code !== undefined)
    expect(fresh).toHaveLength(1)
    expect(fresh[0]?.[1]).toMatchObject({ code: '0x00', nonce: 1 })
    expect(result.pre[fresh[0]?.[0] as string]).toBeUndefined()
    // EIP-6780: CONTRACT was not created here, so it remains and only its balance moves.
    expect(result.post[contract]).toEqual({ balance: '0x0', nonce: 2 })
    expect(result.post[formatData(OTHER)]).toEqual({ balance: '0x5' })
  })

  /** CONTRACT calls OTHER, whose code runs and reverts. */
  function withRevertingCallee(code: Uint8Array): TestState {
    const state = stateWith(assemble(0, 0, 0, 0, 0, 0x3333, 'GAS', 'CALL'))
    state.setAccount(OTHER, 1n, 3n, concatBytes([code, assemble(0, 0, 'REVERT')]))
    return state
  }

  test('shows nothing of a contract created and destroyed in a frame that reverts, as geth', async () => {
    // Its initcode is `4444 SELFDESTRUCT`: four bytes.
    const code = concatBytes([
      assemble(0x614444ff, 0, 'MSTORE', 4, 28, 0, 'CREATE', 'POP', 0x4444, 'BALANCE', 'POP'),
    ])
    const { pre, post } = (await prestate(withRevertingCallee(code), { diffMode: true })) as {
      pre: object
      post: object
    }
    expect(Object.keys(pre)).toEqual([sender])
    // The beneficiary still does not exist; the contract is considered deleted.
    expect(Object.keys(post)).toEqual([sender, formatData(COINBASE), formatData(address(0x4444))])
  })

  test('shows a contract before Cancun as deleted whose SELFDESTRUCT is reverted, as geth', async () => {
    const state = stateWith(assemble(0, 0, 0, 0, 0, 0x3333, 'GAS', 'CALL', 0, 0, 'REVERT'))
    state.setAccount(OTHER, 1n, 3n, assemble(0x4444, 'SELFDESTRUCT'))
    const under = async (revision: BlockEnv['revision']) => {
      const env: BlockEnv = { ...BLOCK, revision }
      return (await prestate(state, { diffMode: true }, {}, env)) as { pre: object; post: object }
    }
    const shanghai = await under('Shanghai')
    expect(Object.keys(shanghai.pre)).toEqual([sender, formatData(OTHER)])
    expect(Object.keys(shanghai.post)).not.toContain(formatData(OTHER))
    const cancun = await under('Cancun')
    expect(Object.keys(cancun.pre)).toEqual([sender])
  })

  test('shows more slots than fit into the trace buffer', async () => {
    const loop = assemble(0, 'JUMPDEST', 'DUP1', 'SLOAD', 'POP', 1, 'ADD', 'DUP1', 25_000, 'GT')
    const code = concatBytes([loop, assemble(2, 'JUMPI')])
    // Before Osaka a transaction may have this much gas (EIP-7825).
    const env: BlockEnv = { ...BLOCK, revision: 'Prague' }
    const state = stateWith(code)
    const shown = (await prestate(state, {}, { gas: 59_000_000n }, env)) as Record<
      string,
      { storage?: object }
    >
    expect(Object.keys(shown[contract]?.storage ?? {})).toHaveLength(25_000)
  })

  test('stays within its limits of accounts, codes and slots', async () => {
    // Sender, contract, OTHER and coinbase, before and after, count 512 bytes and their code each; then two slots.
    const bytes = 2 * (4 * 512 + CODE.length) + 2 * 512
    await expect(prestate(stored(), {}, {}, BLOCK, bytes)).resolves.toBeDefined()
    await expect(prestate(stored(), {}, {}, BLOCK, bytes - 1)).rejects.toThrow(
      `the accounts take more than ${bytes - 1} bytes ([evm] max_trace_kept_bytes)`,
    )
  })
})
