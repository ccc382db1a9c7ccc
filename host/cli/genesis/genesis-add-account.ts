import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { EMPTY_BYTES, equalBytes } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import { parseFixedData } from '../../base/hex.ts'
import { writeFileAtomic } from '../../chain/consensus/validator/atomic-file.ts'
import { checksumText } from '../../evm/chain-types/account-key.ts'
import { decodeGenesis, writableGenesis } from '../../evm/chain-types/genesis-codec.ts'
import { isEthereumGenesis } from '../../evm/execute/ethereum/genesis.ts'
import { peek } from '../../node/diagnosis/home-facts.ts'
import type { Home } from '../../node/home/home.ts'
import { lockHome } from '../../node/home/home-lock.ts'
import { Keyring } from '../../wallet/keys/keyring.ts'
import { formatEther, parseAmount } from '../option/amount.ts'
import { chooseHome, homeOption } from '../option/home-option.ts'

/** Parses an address, or looks up a key of the home by name. @throws INVALID_ARGUMENT, NOT_FOUND */
async function addressOf(home: Home, account: string): Promise<Uint8Array> {
  if (/^0x[0-9a-fA-F]{40}$/.test(account)) return parseFixedData(account, 20)
  if (account.startsWith('0x')) {
    throw new LockstepError('INVALID_ARGUMENT', `account: "${account}" is not an address`, {
      hint: 'write it as 0x and 40 hex digits, or name a key of the home (`lockstep keys list`)',
    })
  }
  return (await new Keyring(home.keystore).find(account)).address
}

/** @throws REFUSED_ARGUMENT if the home has blocks: its genesis can no longer change */
function refuseBegunChain(home: Home): void {
  const hasBlocks = peek(join(home.data.directory, 'blockstore.db'), false, (env) => {
    return env.last('blocks') !== undefined || env.last('chain') !== undefined
  })
  const hasState = peek(join(home.data.directory, 'chain.db'), false, (env) => env.last('headers'))
  if (hasBlocks !== true && hasState === undefined) return
  throw new LockstepError('REFUSED_ARGUMENT', `the chain of ${home.root} has begun`, {
    hint: 'send tokens to the account with `lockstep tx send`, or start another chain in another --home',
  })
}

/** Reads the home's genesis. @throws GENESIS_INVALID, HOME_MISSING, UNSUPPORTED for the genesis of an imported chain */
function readOwnGenesis({ root, config }: Home) {
  let text: string
  try {
    text = readFileSync(config.genesis, 'utf8')
  } catch (cause) {
    throw new LockstepError('HOME_MISSING', `${root} has no config/genesis.json`, {
      hint: 'run `lockstep init --chain-id <id>` with the same --home first',
      cause,
    })
  }
  if (!isEthereumGenesis(text)) return decodeGenesis(text)
  throw new LockstepError('UNSUPPORTED', `${config.genesis} belongs to an imported chain`, {
    hint: 'its accounts are those of the imported chain',
  })
}

async function addAccount(home: Home, account: string, amount: string): Promise<string> {
  const balance = parseAmount(amount, 'amount')
  if (balance === 0n) {
    throw new LockstepError('INVALID_ARGUMENT', 'amount: must be above zero', {
      hint: 'write it as 1000ether',
    })
  }
  const address = await addressOf(home, account)
  const genesis = readOwnGenesis(home)
  refuseBegunChain(home)
  const there = genesis.accounts.find((each) => equalBytes(each.address, address))
  if (there !== undefined) {
    throw new LockstepError(
      'REFUSED_ARGUMENT',
      `${checksumText(address)} already has ${formatEther(there.balance)} at genesis`,
      { hint: `change its balance in ${home.config.genesis}` },
    )
  }
  const added = { address, balance, nonce: 0n, code: EMPTY_BYTES, storage: [] }
  const accounts = [...genesis.accounts, added]
  await writeFileAtomic(home.config.genesis, writableGenesis({ ...genesis, accounts }))
  return `${checksumText(address)} has ${formatEther(balance)} at genesis\n`
}

export function defineGenesisAddAccount(command: Command): void {
  command
    .argument('<account>', 'address, or the name of a key of the home')
    .argument('<amount>', 'amount, such as 1000ether; units are wei, gwei and ether')
    .addOption(homeOption())
    .action(async (account: string, amount: string, flags: { readonly home?: string }) => {
      const home = chooseHome(flags.home)
      const lock = lockHome(home)
      try {
        process.stdout.write(await addAccount(home, account, amount))
      } finally {
        lock.release()
      }
    })
}
