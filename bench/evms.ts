import { formatData, type Hex, parseData } from '../host/base/hex.ts'
import { type Engine, loadEngine } from '../host/evm/engine/engine.ts'
import { answerFrom } from '../host/evm/state/answer.ts'
import {
  BLOCK,
  CONTRACT,
  executed,
  SENDER,
  stateWith,
  transaction,
} from '../test/support/engine/engine-fixture.ts'
import { CALL_GAS, type Peer, slotsOf } from './evm-peer.ts'
import { startAnvil } from './nodes.ts'
import { RpcClient } from './rpc-client.ts'

/**
 * Starts the engine, which holds its contract in memory after the first call, as in a node's worker. With `compiler`,
 * compile.wasm, it compiles hot code.
 */
export async function startEngine(
  bytes: Uint8Array<ArrayBuffer>,
  compiler?: WebAssembly.Module,
): Promise<Peer> {
  const engine: Engine = await loadEngine(bytes, compiler ? { compiledCode: { compiler } } : {})
  let state = stateWith(new Uint8Array())
  let input = transaction()
  return {
    name: compiler === undefined ? 'lockstep' : 'lockstep-compiled',
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

/** Starts anvil's eth_call, over one keep-alive connection. */
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
