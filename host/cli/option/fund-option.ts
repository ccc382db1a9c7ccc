import { Option } from 'commander'
import { equalBytes } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import { parseFixedData } from '../../base/hex.ts'
import type { Fund } from '../../evm/chain-types/genesis-presets.ts'
import { readAmount } from './amount.ts'

/** Far above any chain's supply, and low enough that sums of balances stay below 256 bits. */
const MAX_FUND = 2n ** 128n - 1n

function parseFund(text: string): Fund {
  const [, address, amount = ''] = /^(0x[0-9a-fA-F]{40})=(.*)$/.exec(text) ?? []
  const balance = readAmount(amount) ?? 0n
  if (address !== undefined && balance > 0n && balance <= MAX_FUND) {
    return { address: parseFixedData(address, 20), balance }
  }
  throw new LockstepError('INVALID_ARGUMENT', `--fund: "${text}" is not an address and an amount`, {
    hint: 'write it as 0x<40 hex digits>=1000ether; units are wei, gwei and ether',
  })
}

function addFund(text: string, funds: readonly Fund[] = []): readonly Fund[] {
  const fund = parseFund(text)
  if (!funds.some(({ address }) => equalBytes(address, fund.address))) return [...funds, fund]
  throw new LockstepError('INVALID_ARGUMENT', `--fund: "${text}" repeats an address`, {
    hint: 'give each address once',
  })
}

/** The `--fund` flag, which may be repeated. */
export function fundOption(): Option {
  return new Option(
    '--fund <ADDRESS=AMOUNT>',
    'balance of an account at genesis, such as 0x...=1000ether; may be repeated',
  ).argParser(addFund)
}
