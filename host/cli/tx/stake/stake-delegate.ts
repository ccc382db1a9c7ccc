import type { Command } from 'commander'
import { parseNative } from '../../option/native-amount.ts'
import { addTxFlags, type TxFlags } from '../tx-flags.ts'
import { callStaking, validatorNamed } from './stake-call.ts'

export function defineStakeDelegate(command: Command): void {
  command
    .argument('<from>', 'name or address of the key that pays and signs')
    .argument('<validator>', 'its operator: address, name of a key, or seivaloper1...')
    .argument('<amount>', 'such as 5ether')
  addTxFlags(command).action(
    async (from: string, validator: string, amount: string, flags: TxFlags) => {
      const value = parseNative(amount, '<amount>')
      const named = await validatorNamed(validator, flags)
      await callStaking(from, 'delegate(string)', [named], value, flags)
    },
  )
}
