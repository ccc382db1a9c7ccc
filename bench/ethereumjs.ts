import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { createEVM } from '@ethereumjs/evm'
import { SimpleStateManager } from '@ethereumjs/statemanager'
import { Account, Address } from '@ethereumjs/util'
import { formatData, parseData } from '../host/base/hex.ts'
import { CALL_GAS, type Peer, slotsOf } from './evm-peer.ts'

/** Starts `@ethereumjs/evm` in this process, or in this tab. */
export async function startEthereumjs(sender: Uint8Array, contract: Uint8Array): Promise<Peer> {
  const common = new Common({ chain: Mainnet, hardfork: Hardfork.Prague })
  const caller = new Address(sender)
  const to = new Address(contract)
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
