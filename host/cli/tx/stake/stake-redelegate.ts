import type { Command } from 'commander'
import { NATIVE_WEI } from '../../../evm/chain-types/generated/chain-precompile.ts'
import { parseNative } from '../../option/native-amount.ts'
import { addTxFlags, type TxFlags } from '../tx-flags.ts'
import { callStaking, validatorNamed } from './stake-call.ts'

export function defineStakeRedelegate(command: Command): void {
  command
    .argument('<from>', 'name or address of the key of the delegator')
    .argument('<source>', 'operator of the validator to leave')
    .argument('<destination>', 'operator of the validator to join')
    .argument('<amount>', 'such as 5ether')
  addTxFlags(command).action(
    async (from: string, source: string, destination: string, amount: string, flags: TxFlags) => {
      const units = parseNative(amount, '<amount>') / NATIVE_WEI
      const validators = [
        await validatorNamed(source, flags),
        await validatorNamed(destination, flags),
      ]
      const signature = 'redelegate(string,string,uint256)'
      await callStaking(from, signature, [...validators, units], 0n, flags)
    },
  )
}
