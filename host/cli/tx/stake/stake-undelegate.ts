import type { Command } from 'commander'
import { NATIVE_WEI } from '../../../evm/chain-types/generated/chain-precompile.ts'
import { parseNative } from '../../option/native-amount.ts'
import { addTxFlags, type TxFlags } from '../tx-flags.ts'
import { callStaking, validatorNamed } from './stake-call.ts'

export function defineStakeUndelegate(command: Command): void {
  command
    .argument('<from>', 'name or address of the key of the delegator')
    .argument('<validator>', 'its operator: address, name of a key, or seivaloper1...')
    .argument('<amount>', 'such as 5ether; it is paid out after the unbonding time')
  addTxFlags(command).action(
    async (from: string, validator: string, amount: string, flags: TxFlags) => {
      const units = parseNative(amount, '<amount>') / NATIVE_WEI
      const named = await validatorNamed(validator, flags)
      await callStaking(from, 'undelegate(string,uint256)', [named, units], 0n, flags)
    },
  )
}
