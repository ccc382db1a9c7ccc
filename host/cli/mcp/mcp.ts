import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Command } from 'commander'
import { parseListenAddress } from '../../base/config/listen-address.ts'
import { LockstepError, messageOf } from '../../base/error.ts'
import { VERSION } from '../../node/version.ts'
import { parseUnits } from '../../toolkit/amount.ts'
import { serveMcpHttp } from '../../toolkit/mcp/mcp-http.ts'
import { createMcpServer } from '../../toolkit/mcp/mcp-server.ts'
import { USDC_DECIMALS } from '../../toolkit/payment-budget.ts'
import { openToolkit, type Toolkit } from '../../toolkit/provider/toolkit.ts'
import type { PaymentSettings } from '../../toolkit/settings.ts'
import { evmUrl } from '../client/node-address.ts'
import { askNode, parseUrl } from '../client/node-client.ts'
import { chooseHome } from '../option/home-option.ts'
import { untilStopSignal } from '../progress/stop-signals.ts'
import { addMcpFlags, type McpFlags, readNetworkFile } from './mcp-flags.ts'
import { walletOfFlags } from './mcp-wallet.ts'
import { readOrMakeToken } from './secret-file.ts'

/** stdout carries the protocol, so this writes to stderr. */
function tell(level: 'INF' | 'WRN', text: string): void {
  process.stderr.write(`${level} ${text}\n`)
}

const warn = (text: string) => tell('WRN', text)

function originOf(text: string): string {
  const url = new URL(parseUrl(text, '--pay-origin'))
  if (url.pathname === '/' && url.search === '' && url.hash === '') return url.origin
  throw new LockstepError('INVALID_ARGUMENT', `--pay-origin: "${text}" has a path`, {
    hint: `write only the origin: ${url.origin}`,
  })
}

function usdcOf(text: string | undefined, flag: string): bigint | undefined {
  try {
    return text === undefined ? undefined : parseUnits(text, USDC_DECIMALS, flag)
  } catch (cause) {
    throw new LockstepError('INVALID_ARGUMENT', messageOf(cause), { cause })
  }
}

function paymentsOf({ payOrigin, payMax, payTotal }: McpFlags): PaymentSettings | undefined {
  if (payOrigin === undefined) return undefined
  return {
    origins: payOrigin.map(originOf),
    maxAmount: usdcOf(payMax, '--pay-max'),
    maxTotal: usdcOf(payTotal, '--pay-total'),
  }
}

async function open(flags: McpFlags): Promise<Toolkit> {
  const rpcUrl =
    flags.rpc === undefined
      ? evmUrl(chooseHome(flags.home), undefined)
      : parseUrl(flags.rpc, '--rpc')
  const given = readNetworkFile(flags.network)
  const chainId = given.chainId ?? Number(await askNode(rpcUrl, 'eth_chainId', []))
  const { priceFeed } = flags
  return openToolkit({
    network: { ...given, chainId, rpcUrl } as never,
    wallet: walletOfFlags(flags, warn),
    payments: paymentsOf(flags),
    priceFeed: priceFeed === undefined ? undefined : { url: parseUrl(priceFeed, '--price-feed') },
    strict: flags.strict === true,
    warn,
  })
}

async function overStdio(toolkit: Toolkit): Promise<void> {
  const gone = new Promise((resolve) => {
    process.stdin.once('close', resolve)
    process.stdin.once('end', resolve)
    // A disconnected client reads nothing more.
    process.stdout.once('error', resolve)
  })
  const onerror = (error: Error) => warn(messageOf(error))
  const server = serveStdio(() => createMcpServer(toolkit, VERSION), { onerror })
  await Promise.race([gone, untilStopSignal()])
  await server.close()
}

async function overHttp(toolkit: Toolkit, address: string, tokenFile: string | undefined) {
  if (tokenFile === undefined) {
    throw new LockstepError('INVALID_ARGUMENT', '--http needs a bearer token for its callers', {
      hint: 'pass --token-file FILE: the file is created with a new token if it is missing',
    })
  }
  const listen = parseListenAddress(address)
  if (listen === undefined) {
    throw new LockstepError(
      'INVALID_ARGUMENT',
      `--http: "${address}" is not an address to listen at`,
      {
        hint: 'write it as 127.0.0.1:8404; port 0 picks a free one',
      },
    )
  }
  const token = readOrMakeToken(tokenFile, '--token-file')
  const server = await serveMcpHttp(toolkit, { ...listen, token, version: VERSION })
  tell('INF', `serving ${server.url} to callers with the token in ${tokenFile}`)
  await untilStopSignal()
  await server.close()
}

export function defineMcp(command: Command): void {
  addMcpFlags(command)
  command.action(async (flags: McpFlags) => {
    const toolkit = await open(flags)
    const { actions, network, wallet } = toolkit
    const whose = wallet === undefined ? 'without a wallet' : `for ${wallet.address}`
    tell('INF', `${actions.length} actions on ${network.caip2} ${whose}`)
    if (flags.http === undefined) await overStdio(toolkit)
    else await overHttp(toolkit, flags.http, flags.tokenFile)
  })
}
