import { existsSync, readFileSync } from 'node:fs'
import type { Config } from '../../base/config/schema.ts'
import { LockstepError, messageOf } from '../../base/error.ts'
import { nanosecondsNow } from '../../base/time.ts'
import type { Genesis } from '../../evm/chain-types/genesis.ts'
import { decodeGenesis } from '../../evm/chain-types/genesis-codec.ts'
import {
  decodeEthereumGenesis,
  type EthereumGenesis,
  isEthereumGenesis,
} from '../../evm/execute/ethereum/genesis.ts'
import { checkDevGenesis, type DevGenesis } from '../../node/home/dev-genesis.ts'
import {
  checkDeveloperAccounts,
  type DeveloperAccounts,
} from '../../node/home/developer-accounts.ts'
import type { Home } from '../../node/home/home.ts'
import { initializeHome } from '../../node/home/initialize-home.ts'
import type { ChainChoice } from '../option/chain-choice.ts'

/** @throws HOME_MISSING */
export function refuseMissingGenesis(home: Home): void {
  if (existsSync(home.config.genesis)) return
  throw new LockstepError('HOME_MISSING', `${home.root} has no config/genesis.json`, {
    hint: 'run `lockstep init --chain-id <id>` with the same --home, or start with --dev',
  })
}

/** The chain of a home's genesis.json. */
export type ChosenChain =
  | { readonly kind: 'own'; readonly chainId: bigint; readonly genesis: Genesis }
  | { readonly kind: 'imported'; readonly chainId: bigint; readonly genesis: EthereumGenesis }

/** @throws GENESIS_INVALID */
function readGenesisText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new LockstepError('GENESIS_INVALID', `cannot read ${path}: ${messageOf(cause)}`, {
      hint: "restore the chain's genesis.json, readable by the user that runs the node",
      cause,
    })
  }
}

function readChain(path: string): ChosenChain {
  const text = readGenesisText(path)
  if (isEthereumGenesis(text)) {
    const genesis = decodeEthereumGenesis(text)
    return { kind: 'imported', chainId: genesis.network.chainId, genesis }
  }
  const genesis = decodeGenesis(text)
  return { kind: 'own', chainId: genesis.params.chainId, genesis }
}

/** Initializes the home of a development chain if it is missing; returns true if it was. */
export async function beginDevHome(
  home: Home,
  { keys, balance, settings }: DeveloperAccounts,
  first: DevGenesis,
  asked: ChainChoice | undefined,
): Promise<boolean> {
  if (existsSync(home.config.genesis)) return false
  const chainId = asked?.chainId ?? first.chainId
  await initializeHome(home, {
    preset: 'dev',
    ...(chainId !== undefined && { chainId }),
    choices: first.choices,
    moniker: 'dev',
    overwrite: false,
    time: first.time ?? nanosecondsNow(),
    developers: keys.map(({ address }) => ({ address, balance })),
    settings,
  })
  return true
}

/** @throws INVALID_ARGUMENT if the chain of the home is not the requested one */
export function chooseChain(
  home: Home,
  dev: Config['dev'] | undefined,
  developers: DeveloperAccounts | undefined,
  asked: ChainChoice | undefined,
): ChosenChain {
  const chain = readChain(home.config.genesis)
  if (asked !== undefined && asked.chainId !== chain.chainId) {
    throw new LockstepError(
      'INVALID_ARGUMENT',
      `--chain-id is ${asked.chainId}, but ${home.config.genesis} is of chain ${chain.chainId}`,
      { hint: 'omit --chain-id, or use another --home' },
    )
  }
  if (dev !== undefined && chain.kind === 'own') {
    checkDevGenesis(home.config.genesis, chain.genesis, dev)
    // A genesis.json of Ethereum may have other balances of these accounts.
    if (developers?.isSet && dev.init === '') {
      checkDeveloperAccounts(home.config.genesis, chain.genesis, developers)
    }
  }
  return chain
}
