import { describe, expect, test } from 'vitest'
import { bigintToBytes, bytesToBigint, concatBytes } from '../../../host/base/bytes.ts'
import { formatData } from '../../../host/base/hex.ts'
import type { GenesisDenomination } from '../../../host/evm/chain-types/genesis.ts'
import type { TraceEvent } from '../../../host/evm/engine/trace-event.ts'
import { assemble } from '../../support/engine/bytecode.ts'
import { address } from '../../support/engine/engine-fixture.ts'
import { toBech32 } from '../../support/module/bech32-model.ts'
import {
  account,
  callData,
  ModuleBench,
  precompile,
  reasonOf,
} from '../../support/module/module-bench.ts'
import { Signer } from '../../support/module/signer.ts'

const ALICE = address(0xa11ce)
const BOB = address(0xb0b)
/** Pointer of uatom: forwards its input to bank, then acts as the test defines. */
const POINTER = address(0x9017)
const OUTER = address(0x0e7)

const UATOM: GenesisDenomination = {
  denomination: 'uatom',
  name: 'Atom',
  symbol: 'ATOM',
  decimals: 6,
  pointer: POINTER,
  balances: [{ address: ALICE, amount: 1_000n }],
}

type Kind = 'CALL' | 'CALLCODE' | 'DELEGATECALL' | 'STATICCALL'

/** Returns code that calls an account with its own input and value, and leaves the result on the stack. */
function passing(kind: Kind, to: Uint8Array): (string | number | bigint)[] {
  const value = kind === 'CALL' || kind === 'CALLCODE' ? ['CALLVALUE'] : []
  return [
    ...['CALLDATASIZE', 0, 0, 'CALLDATACOPY'],
    ...[0, 0, 'CALLDATASIZE', 0, ...value, bytesToBigint(to), 'GAS', kind],
  ]
}

/** Returns the output of the call. */
const ANSWERING = ['RETURNDATASIZE', 0, 0, 'RETURNDATACOPY', 'RETURNDATASIZE', 0, 'RETURN']

function code(...parts: (readonly (string | number | bigint)[])[]): Uint8Array {
  return assemble(...(parts.flat() as never[]))
}

const SEND = callData('bank', 'send', [formatData(ALICE), formatData(BOB), 'uatom', 250n])

async function open(
  pointer: Uint8Array,
  outer: Uint8Array = new Uint8Array(0),
): Promise<ModuleBench> {
  const accounts = [
    account(ALICE, 10n ** 20n),
    account(POINTER, 0n, pointer),
    account(OUTER, 0n, outer),
  ]
  return ModuleBench.open(accounts, [UATOM])
}

function held(bench: ModuleBench): unknown[] {
  return [ALICE, BOB].map((who) => bench.read('bank', 'balance', [formatData(who), 'uatom']))
}

describe('the effects of a precompile call', () => {
  test('are those of the transaction if all frames succeed', async () => {
    const bench = await open(code(passing('CALL', precompile('bank')), ANSWERING))
    const outcome = bench.run({ from: ALICE, to: POINTER, data: SEND })
    expect(bytesToBigint(outcome.output)).toBe(1n)
    expect(held(bench)).toEqual([750n, 250n])
  })

  test('are undone with the frame that reverts around it, and earlier ones remain', async () => {
    // The pointer sends. An outer frame calls it twice, the second time through a contract that reverts.
    const reverter = address(0x4e7)
    const inner = code(passing('CALL', POINTER), [0, 0, 'REVERT'])
    const outer = code(passing('CALL', POINTER), passing('CALL', reverter), [
      'ADD',
      0,
      'MSTORE',
      32,
      0,
      'RETURN',
    ])
    const accounts = [
      account(ALICE, 10n ** 20n),
      account(POINTER, 0n, code(passing('CALL', precompile('bank')), ANSWERING)),
      account(OUTER, 0n, outer),
      account(reverter, 0n, inner),
    ]
    const bench = await ModuleBench.open(accounts, [UATOM])
    const outcome = bench.run({ from: ALICE, to: OUTER, data: SEND })
    // The first call succeeded, and the second did not.
    expect(bytesToBigint(outcome.output)).toBe(1n)
    expect(held(bench)).toEqual([750n, 250n])
  })

  test('are undone if the transaction reverts at its end, including transfers of wei', async () => {
    const outer = code(passing('CALL', precompile('bank')), [0, 0, 'REVERT'])
    const bench = await open(new Uint8Array(0), outer)
    const data = callData('bank', 'sendNative', [toBech32('sei', BOB)])
    const outcome = bench.run({ from: ALICE, to: OUTER, data, value: 5n })
    expect(outcome.error).toBe('execution reverted')
    expect([ALICE, BOB, OUTER].map((who) => bench.balanceOf(who))).toEqual([10n ** 20n, 0n, 0n])
  })

  test('are visible to later code in the same transaction', async () => {
    const pair = address(0xb0b0)
    const data = callData('bank', 'sendNative', [toBech32('sei', pair)])
    const read = ['POP', bytesToBigint(pair), 'BALANCE', 0, 'MSTORE', 32, 0, 'RETURN']
    const bench = await open(new Uint8Array(0), code(passing('CALL', precompile('bank')), read))
    const outcome = bench.run({ from: ALICE, to: OUTER, data, value: 5n })
    expect(bytesToBigint(outcome.output)).toBe(5n)
  })

  test.each([
    ['STATICCALL', 'bank: the function cannot be called statically'],
    ['DELEGATECALL', 'bank: the function cannot be called by DELEGATECALL or CALLCODE'],
    ['CALLCODE', 'bank: the function cannot be called by DELEGATECALL or CALLCODE'],
  ] as const)('are refused in a %s', async (kind, reason) => {
    const bench = await open(code(passing(kind, precompile('bank')), ANSWERING))
    const outcome = bench.run({ from: ALICE, to: POINTER, data: SEND })
    expect(reasonOf(outcome)).toBe(reason)
    expect(held(bench)).toEqual([1_000n, 0n])
  })

  test.each(['STATICCALL', 'DELEGATECALL', 'CALLCODE', 'CALL'] as const)(
    'stay absent in a read-only function, which also works in a %s',
    async (kind) => {
      const bench = await open(code(passing(kind, precompile('bank')), ANSWERING))
      const data = callData('bank', 'balance', [formatData(ALICE), 'uatom'])
      const outcome = bench.run({ from: ALICE, to: POINTER, data })
      expect(bytesToBigint(outcome.output)).toBe(1_000n)
    },
  )

  test('are reachable from Solidity, since each address has code', async () => {
    const size = (name: string) => [bytesToBigint(precompile(name)), 'EXTCODESIZE']
    const all = ['bank', 'gov', 'upgrade'].flatMap(size)
    const bench = await open(code(all, ['ADD', 'ADD', 0, 'MSTORE', 32, 0, 'RETURN']))
    expect(bytesToBigint(bench.run({ from: ALICE, to: POINTER }).output)).toBe(3n)
  })

  test('are absent at every gas limit that does not suffice', async () => {
    const signer = new Signer('gas')
    const bench = await open(new Uint8Array(0))
    const from = ALICE
    const data = callData('addr', 'associate', signer.sign('x'))
    const to = precompile('addr')
    const all = bench.run({ from, to, data }, { discard: true })
    expect(all.error).toBeUndefined()
    const intrinsic = bench.run({ from, to: BOB, data }, { discard: true }).gasUsed
    const cost = Number(all.gasUsed - intrinsic)
    let outOfGas = 0
    // Every 97th gas limit, and each of the last ones.
    for (let given = 0; given < cost; given += given < cost - 200 ? 97 : 1) {
      const outcome = bench.run({ from, to, data, gas: intrinsic + BigInt(given) })
      expect(outcome.error, `${given} of ${cost}`).toBe('out of gas')
      expect(outcome.gasUsed).toBe(intrinsic + BigInt(given))
      outOfGas++
    }
    expect(outOfGas).toBeGreaterThan(500)
    expect(reasonOf(bench.call(from, 'addr', 'getSeiAddr', [formatData(signer.evm)]))).toContain(
      'is not associated',
    )
    expect(bench.run({ from, to, data, gas: all.gasUsed }).error).toBeUndefined()
    expect(bench.read('addr', 'getSeiAddr', [formatData(signer.evm)])).toBe(signer.bech32)
  })

  test('cost gas for reads and writes, whatever the engine has cached', async () => {
    const bench = await open(
      code(passing('CALL', precompile('bank')), passing('CALL', precompile('bank')), ['STOP']),
    )
    const frames: bigint[] = []
    const trace = {
      onEvent(event: TraceEvent) {
        if (event.kind === 'exit') frames.push(event.gasUsed)
      },
    }
    bench.run({ from: ALICE, to: POINTER, data: SEND }, { trace: trace as never })
    // The second call changes an existing row; the first created it.
    const words = BigInt(Math.ceil(SEND.length / 32))
    const fixed = 1_000n + 3n * words + 3n
    const [first, second] = frames
    // Rows for name, pointer and two balances. Each is read once, and each balance is read again and written.
    expect(first).toBe(fixed + 4n * 2_100n + 4n * 100n + 2_900n + 20_000n)
    expect(second).toBe(fixed + 4n * 2_100n + 4n * 100n + 2_900n + 2_900n)
  })

  test('appear in call and state traces like those of contracts', async () => {
    const bench = await open(code(passing('CALL', precompile('bank')), ANSWERING))
    const events: string[] = []
    const trace = {
      wantsState: true,
      onEvent(event: TraceEvent) {
        if (event.kind === 'enter')
          events.push(`enter ${event.type} ${formatData(event.to.slice())}`)
        if (event.kind === 'exit') events.push(`exit ${event.error ?? ''}`)
        if (event.kind === 'slot' && bytesToBigint(event.address.slice()) === 0x1001n) {
          events.push(`slot ${event.key[0]} ${bytesToBigint(event.value.slice())}`)
        }
      },
    }
    bench.run({ from: ALICE, to: POINTER, data: SEND }, { trace: trace as never })
    expect(events).toEqual([
      `enter CALL ${formatData(POINTER)}`,
      `enter CALL ${formatData(precompile('bank'))}`,
      'slot 1 1',
      `slot 4 ${bytesToBigint(POINTER)}`,
      'slot 5 1000',
      'slot 5 0',
      'exit ',
      'exit ',
      'slot 5 250',
      'slot 5 750',
      `slot 4 ${bytesToBigint(POINTER)}`,
      'slot 1 1',
    ])
  })

  test('appear for an input of 131,072 bytes, and one byte more is refused', async () => {
    const bench = await open(new Uint8Array(0))
    const document = new Uint8Array(130_000).fill(0x20)
    document.set(new TextEncoder().encode('{"a":1}'), 129_000)
    const data = callData('json', 'extractAsBytes', [formatData(document), 'a'])
    const gas = 10_000_000n
    const filled = concatBytes([data, new Uint8Array(131_072 - data.length)])
    const run = (input: Uint8Array) =>
      bench.run({ from: ALICE, to: precompile('json'), data: input, gas })
    expect(run(filled).output).toEqual(
      concatBytes([
        bigintToBytes(32n, 32),
        bigintToBytes(1n, 32),
        Uint8Array.of(0x31),
        new Uint8Array(31),
      ]),
    )
    expect(reasonOf(run(concatBytes([filled, Uint8Array.of(0)])))).toBe(
      'the input has more than 131072 bytes',
    )
  })
})
