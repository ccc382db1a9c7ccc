import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { createEVM } from '@ethereumjs/evm'
import { SimpleStateManager } from '@ethereumjs/statemanager'
import { Account, Address } from '@ethereumjs/util'
import { bigintToBytes } from '../host/base/bytes.ts'
import { formatData, type Hex, parseData } from '../host/base/hex.ts'
import { type Engine, loadEngine } from '../host/engine/engine.ts'
import { answerFrom } from '../host/state/answer.ts'
import {
  BLOCK,
  CONTRACT,
  executed,
  SENDER,
  stateWith,
  transaction,
} from '../test/support/engine/engine-fixture.ts'
import { startAnvil } from './nodes.ts'
import { RpcClient } from './rpc-client.ts'

/** A contract, what it is called with, and what it must answer. */
export interface ContractCase {
  readonly name: string
  readonly runtime: Hex
  readonly storage: Readonly<Record<string, string>>
  readonly calldata: Hex
  readonly gas: number
  readonly out: Hex
}

/** Gas of every call: more than any case takes, and what anvil's block holds. */
const CALL_GAS = 1_000_000_000n

/** An EVM under measurement: `load` puts a case's contract in place, `call` runs it. */
export interface Peer {
  readonly name: string
  load(row: ContractCase): Promise<void>
  call(row: ContractCase): Promise<Hex>
  stop(): Promise<void>
}

/** Slots of a case as 32-byte keys and values. */
function slotsOf(row: ContractCase): [Uint8Array, Uint8Array][] {
  return Object.entries(row.storage).map(([slot, value]) => [
    bigintToBytes(BigInt(slot), 32),
    bigintToBytes(BigInt(value), 32),
  ])
}

/** The engine, its contract in memory after the first call, as a node's worker holds it. */
export async function startEngine(bytes: Uint8Array<ArrayBuffer>): Promise<Peer> {
  const engine: Engine = await loadEngine(bytes)
  let state = stateWith(new Uint8Array())
  let input = transaction()
  return {
    name: 'lockstep',
    load: async (row) => {
      state = stateWith(parseData(row.runtime))
      for (const [slot, value] of slotsOf(row)) state.setStorage(CONTRACT, slot, value)
      engine.beginBlock({ ...BLOCK, revision: 'Prague', gasLimit: CALL_GAS, baseFee: 0n })
      input = transaction({ gas: CALL_GAS, maxFeePerGas: 0n, data: parseData(row.calldata) })
    },
    call: async () => {
      const outcome = answerFrom(engine.transact(input, { discard: true }), state)
      return formatData(executed(outcome).output)
    },
    stop: async () => {},
  }
}

/** anvil's eth_call, over one keep-alive connection. */
export async function startAnvilPeer(): Promise<Peer> {
  const node = await startAnvil(31337, ['--hardfork', 'prague'])
  const client = new RpcClient(node.url, 1)
  const from = formatData(SENDER)
  const to = formatData(CONTRACT)
  const gas = `0x${CALL_GAS.toString(16)}`
  let touched: Hex[] = []
  return {
    name: 'anvil',
    load: async (row) => {
      const zero = formatData(new Uint8Array(32))
      for (const slot of touched) await client.call('anvil_setStorageAt', to, slot, zero)
      await client.call('anvil_setCode', to, row.runtime)
      touched = slotsOf(row).map(([slot]) => formatData(slot))
      for (const [slot, value] of slotsOf(row)) {
        await client.call('anvil_setStorageAt', to, formatData(slot), formatData(value))
      }
    },
    call: async (row) =>
      (await client.call('eth_call', { from, to, data: row.calldata, gas }, 'latest')) as Hex,
    stop: async () => {
      client.close()
      await node.stop()
    },
  }
}

/** `@ethereumjs/evm` in this process. */
export async function startEthereumjs(): Promise<Peer> {
  const common = new Common({ chain: Mainnet, hardfork: Hardfork.Prague })
  const caller = new Address(SENDER)
  const to = new Address(CONTRACT)
  let evm = await createEVM({ common })
  let data: Uint8Array = new Uint8Array()
  return {
    name: 'ethereumjs',
    load: async (row) => {
      const stateManager = new SimpleStateManager({ common })
      await stateManager.putAccount(to, new Account(1n))
      await stateManager.putCode(to, parseData(row.runtime))
      for (const [slot, value] of slotsOf(row)) await stateManager.putStorage(to, slot, value)
      evm = await createEVM({ common, stateManager })
      data = parseData(row.calldata)
    },
    call: async () => {
      await evm.stateManager.checkpoint()
      const { execResult } = await evm.runCall({ caller, to, data, gasLimit: CALL_GAS })
      await evm.stateManager.revert()
      if (execResult.exceptionError !== undefined) throw new Error(execResult.exceptionError.error)
      return formatData(execResult.returnValue)
    },
    stop: async () => {},
  }
}
