import { readFileSync } from 'node:fs'
import { type Command, Option } from 'commander'
import { LockstepError, messageOf } from '../../base/error.ts'
import { homeOption } from '../option/home-option.ts'

export interface McpFlags {
  readonly home?: string
  readonly rpc?: string
  readonly network?: string
  readonly walletUrl?: string
  readonly appId?: string
  readonly walletId?: string
  readonly agentId?: string
  readonly agentSecretFile?: string
  readonly appSecretFile?: string
  readonly authorizationKeyFile?: readonly string[]
  readonly keyFile?: string
  readonly payOrigin?: readonly string[]
  readonly payMax?: string
  readonly payTotal?: string
  readonly priceFeed?: string
  readonly http?: string
  readonly tokenFile?: string
  readonly strict?: true
}

const collect = (value: string, all: readonly string[] = []) => [...all, value]

function repeated(flags: string, description: string): Option {
  return new Option(flags, description).argParser(collect)
}

/** Adds the flags of `mcp`. Secrets come from files: every user of the machine can see a command line. */
export function addMcpFlags(command: Command): void {
  command
    .addOption(homeOption())
    .option('--rpc <URL>', 'EVM JSON-RPC of a node (default: that of the home)')
    .option(
      '--network <FILE>',
      'JSON with networkId, nativeSymbol, decimals, contracts, explorerUrl',
    )
    .option('--wallet-url <URL>', 'wallet service that holds the wallet')
    .option('--app-id <ID>', 'id of the app at the wallet service')
    .option('--wallet-id <ID>', 'id of the wallet at the wallet service')
    .option('--agent-id <ID>', 'id of the agent, as `wallet agent create` printed it')
    .option('--agent-secret-file <FILE>', 'file with the secret of the agent')
    .option(
      '--app-secret-file <FILE>',
      'file with the secret of the app, instead of an agent: for development, because it can change the policy of the wallet',
    )
    .addOption(
      repeated(
        '--authorization-key-file <FILE>',
        'file with a key that authorizes requests; may be repeated',
      ),
    )
    .option(
      '--key-file <FILE>',
      'file with a private key in hex, for development: nothing limits what it signs',
    )
    .addOption(
      repeated('--pay-origin <URL>', 'origin that may be paid over HTTP 402; may be repeated'),
    )
    .option('--pay-max <USDC>', 'maximum payment of a call', '0.10')
    .option('--pay-total <USDC>', 'maximum payments of all calls in an hour', '1.00')
    .option('--price-feed <URL>', 'price source with the Hermes HTTP API')
    .option('--http <ADDRESS>', 'loopback address to listen at, instead of stdin and stdout')
    .option('--token-file <FILE>', 'file with the bearer token of --http, created if missing')
    .option('--strict', 'exit if an action is not available, instead of leaving it out')
}

/** Returns the network settings of a file. @throws CONFIG_INVALID */
export function readNetworkFile(path: string | undefined): Readonly<Record<string, unknown>> {
  if (path === undefined) return {}
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed))
      return { ...parsed }
    throw new Error('it is not a JSON object')
  } catch (cause) {
    throw new LockstepError('CONFIG_INVALID', `--network: ${path}: ${messageOf(cause)}`, {
      hint: 'write it as {"networkId": "sei-testnet", "contracts": {"wrappedNative": "0x..."}}',
      cause,
    })
  }
}
