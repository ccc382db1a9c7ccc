import { existsSync, mkdirSync, realpathSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { isLoopbackHost } from '../../api/server/loopback.ts'
import type { Config } from '../../base/config/schema.ts'
import { LockstepError } from '../../base/error.ts'
import { lookup } from '../../base/lookup.ts'
import { childCommand } from '../../wallet/launch/child-command.ts'
import { chooseIdentities, type Identities } from '../../wallet/launch/identities.ts'
import { readMasterSecrets, settleKeyFile } from '../../wallet/launch/master-source.ts'
import { pingHttp } from '../../wallet/launch/ping-http.ts'
import type {
  ServiceFacts,
  ServiceStart,
  SignerFacts,
  SignerStart,
} from '../../wallet/launch/start-contract.ts'
import { SupervisedChild } from '../../wallet/launch/supervised-child.ts'
import {
  makeFolders,
  openPassage,
  removeSocketFolder,
  type WalletFolders,
} from '../../wallet/launch/wallet-folders.ts'
import { pingSigner } from '../../wallet/signer/ping-signer.ts'
import type { Home } from '../home/home.ts'
import { masterSource, signerDatabase, walletFolder } from '../home/wallet-home.ts'
import { listenUrl } from './node-servers.ts'
import type { ServerContext } from './server-context.ts'

export interface WalletSite {
  readonly home: Home
  readonly chainId: bigint
  /** The node's EVM JSON-RPC URL; undefined if it is off. */
  readonly rpc: string | undefined
}

type WalletConfig = Config['wallets']

const SIGNER = new URL('../../wallet/signer/signer-main.ts', import.meta.url)
const SERVICE = new URL('../../wallet/service/service-main.ts', import.meta.url)

/** How long requests in progress may take to finish, ms. */
const STOP_GRACE_MS = 5_000

/** Environment variables passed to the wallet API; the signer gets none. */
const SERVICE_VARIABLES = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR']

function refuse(message: string, hint: string): never {
  throw new LockstepError('CONFIG_INVALID', `[wallets] ${message}`, { hint })
}

function tlsOf(wallets: WalletConfig, home: Home): ServiceStart['tls'] {
  const { address, insecure, tlsCert, tlsKey } = wallets
  if ((tlsCert === '') !== (tlsKey === '')) {
    const [set, other] = tlsCert === '' ? ['tls-key', 'tls-cert'] : ['tls-cert', 'tls-key']
    refuse(`${set} is set and ${other} is not`, 'write both, or neither for plain HTTP')
  }
  if (tlsCert !== '') {
    return { certificate: resolve(home.root, tlsCert), key: resolve(home.root, tlsKey) }
  }
  if (!insecure && !isLoopbackHost(address.host)) {
    refuse(
      `address = "${address.host}" is reached from other machines, and there is no certificate`,
      'write tls-cert and tls-key; or insecure = true if a proxy in front of it has TLS',
    )
  }
  return undefined
}

/** Returns the configured chains, and this node's own unless a table configures it. */
function chainsOf({ chain }: WalletConfig, { chainId, rpc }: WalletSite): ServiceStart['chains'] {
  const own = `eip155:${chainId}`
  if (rpc === undefined || chain.some(({ id }) => id === own)) {
    if (chain.length > 0) return chain
    return refuse(
      'enable is true, but there is no chain to send to: http_enabled is false',
      'write http_enabled = true, or a table [[wallets.chain]]',
    )
  }
  return [{ id: own, rpc: reachable(rpc) }, ...chain]
}

/** Replaces wildcard addresses, which not every system can connect to. */
function reachable(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}

/** Returns the users of both processes; undefined, after a warning, if both run as the daemon's user. */
function identitiesOf(
  { logger }: ServerContext,
  wallets: WalletConfig,
  home: Home,
  folder: string,
): Identities | undefined {
  const missing = (reason: string): undefined => {
    if (wallets.isolation === 'require') {
      refuse(
        `isolation = "require": ${reason}`,
        'start the node as root in a folder that other users can traverse, or write isolation = "auto"',
      )
    }
    logger.warn('signer and API of the wallets run as the same user', {
      reason,
      lost: "an attacker who takes over the API, or any other process of that user, can read the signer's memory and files",
      remedy: 'start the node as root: each then has its own user',
    })
  }
  if (process.getuid?.() !== 0) return missing('the node does not run as root')
  const identities = chooseIdentities(wallets.signerUser, wallets.serviceUser)
  const closed = openPassage(home.root, folder, identities)
  return closed === undefined ? identities : missing(`other users cannot traverse ${closed}`)
}

/** Returns the base URLs that signed requests may use. */
function publicUrlsOf(wallets: WalletConfig, scheme: string, port: number): readonly string[] {
  if (wallets.publicUrls.length > 0) return wallets.publicUrls
  const hosts = new Set(['127.0.0.1', 'localhost', wallets.address.host])
  return [...hosts].map((host) => listenUrl(scheme, { host, port }))
}

function serviceVariables(): Record<string, string> {
  const entries = SERVICE_VARIABLES.map((name) => [name, lookup(process.env, name)] as const)
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

function serviceOptions(
  context: ServerContext,
  site: WalletSite,
  folders: WalletFolders,
  identities: Identities | undefined,
) {
  const { wallets } = context.config
  const { host, port } = wallets.address
  const tls = tlsOf(wallets, site.home)
  const chains = chainsOf(wallets, site)
  return {
    name: 'the wallet API',
    command: childCommand(SERVICE, {
      read: [dirname(folders.socket), ...(tls === undefined ? [] : [tls.certificate, tls.key])],
      write: [folders.service],
      addons: true,
    }),
    variables: serviceVariables(),
    identity: identities?.service,
    start: (first: ServiceFacts | undefined): ServiceStart => ({
      folder: folders.service,
      socket: folders.socket,
      host,
      port: first?.port ?? port,
      tls,
      publicUrls: wallets.publicUrls,
      chains,
      rateLimit: wallets.rateLimit,
      webhookAllowPrivate: wallets.webhookAllowPrivate,
    }),
    secrets: async () => [],
    log: context.logger,
    ping: (signal: AbortSignal, facts: ServiceFacts) => {
      const scheme = tls === undefined ? 'http' : 'https'
      return pingHttp(reachable(listenUrl(scheme, { host, port: facts.port })), signal)
    },
  }
}

function signerOptions(
  context: ServerContext,
  home: Home,
  folders: WalletFolders,
  identities: Identities | undefined,
  publicUrls: readonly string[],
) {
  const { wallets } = context.config
  const source = masterSource(wallets, home)
  const database = signerDatabase(wallets, home)
  return {
    name: 'the signer',
    command: childCommand(SIGNER, {
      read: [],
      write: [folders.signer, dirname(folders.socket)],
      addons: false,
    }),
    variables: {},
    identity: identities?.signer,
    start: (): SignerStart => ({
      folder: folders.signer,
      socket: folders.socket,
      publicUrls,
      requireRequestExpiry: wallets.requireRequestExpiry,
      requirePolicy: wallets.requirePolicy,
      policyChanges: wallets.policyChanges,
    }),
    secrets: async () => readMasterSecrets(source, !existsSync(database)),
    log: context.logger,
    ping: (signal: AbortSignal) => pingSigner(folders.socket, signal),
    source,
  }
}

/**
 * Starts the wallet processes; resolves with the API's URL when both respond.
 * @throws CONFIG_INVALID with the remedy
 */
export async function serveWallets(context: ServerContext, site: WalletSite): Promise<string> {
  const { config, closers, logger } = context
  const { wallets } = config
  const folder = walletFolder(wallets, site.home)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const identities = identitiesOf(context, wallets, site.home, folder)
  const folders = makeFolders(realpathSync(folder), identities)
  closers.add(() => removeSocketFolder(folders))
  const service = await SupervisedChild.start<ServiceStart, ServiceFacts>(
    serviceOptions(context, site, folders, identities),
  )
  closers.add(() => service.child.stop(STOP_GRACE_MS))
  const scheme = wallets.tlsCert === '' ? 'http' : 'https'
  const { port } = service.facts
  const publicUrls = publicUrlsOf(wallets, scheme, port)
  const options = signerOptions(context, site.home, folders, identities, publicUrls)
  const signer = await SupervisedChild.start<SignerStart, SignerFacts>(options)
  closers.add(() => signer.child.stop(STOP_GRACE_MS))
  settleKeyFile(options.source, signer.facts.secret)
  const url = wallets.publicUrls[0] ?? listenUrl(scheme, { host: wallets.address.host, port })
  logger.info('wallets are served', { url, isolated: identities !== undefined })
  return url
}
