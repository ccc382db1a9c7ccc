import type { Command } from 'commander'
import { addTxFlags, type TxFlags } from '../tx-flags.ts'
import { callStaking } from './stake-call.ts'

export function defineStakeUnjail(command: Command): void {
  command.argument('<from>', 'name or address of the key of the operator')
  addTxFlags(command).action(async (from: string, flags: TxFlags) => {
    await callStaking(from, 'unjail()', [], 0n, flags)
  })
}
