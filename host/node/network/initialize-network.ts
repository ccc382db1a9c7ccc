import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { DEV_ACCOUNTS } from '../../base/dev-accounts.ts'
import { LockstepError, messageOf } from '../../base/error.ts'
import { parseFixedData } from '../../base/hex.ts'
import { type Ed25519Key, generateKey } from '../../chain/consensus/comet/ed25519.ts'
import {
  nodeIdOf,
  writeNodeKey,
  writeValidatorKey,
} from '../../chain/consensus/validator/key-file.ts'
import type { Genesis, GenesisValidator } from '../../evm/chain-types/genesis.ts'
import { presetGenesis } from '../../evm/chain-types/genesis-presets.ts'
import { homeAt } from '../home/home.ts'
import { initializeHome, type NewChain } from '../home/initialize-home.ts'
import { DEV_CONFIG } from '../home/new-home-config.ts'
import { type PlannedNode, settingsOf } from './network-plan.ts'

export interface NetworkOptions {
  readonly folder: string
  readonly chain: NewChain
  readonly nodes: readonly PlannedNode[]
}

export interface InitializedNode extends PlannedNode {
  readonly home: string
  readonly nodeId: string
}

export interface InitializedNetwork {
  readonly genesis: Genesis
  readonly nodes: readonly InitializedNode[]
}

/** @throws HOME_NOT_EMPTY */
function refuseExisting(folder: string): void {
  if (!existsSync(folder) || readdirSync(folder).length === 0) return
  throw new LockstepError('HOME_NOT_EMPTY', `${folder} is not empty`, {
    hint: 'pass a new folder with --out: keys and chains are never overwritten',
  })
}

/** Each validator of a development chain is operated by a dev account, which may delegate and edit it. */
function operatorOf({ preset }: NewChain, index: number): Pick<GenesisValidator, 'operator'> {
  const account = preset === 'dev' ? DEV_ACCOUNTS[index] : undefined
  return account === undefined ? {} : { operator: parseFixedData(account.address, 20) }
}

interface KeyedNode extends PlannedNode {
  readonly nodeKey: Ed25519Key
  readonly validatorKey: Ed25519Key | undefined
}

async function writeHome(
  root: string,
  { nodeKey, validatorKey, ...node }: KeyedNode,
  peers: readonly string[],
  { genesis, isDev }: { readonly genesis: Genesis; readonly isDev: boolean },
): Promise<void> {
  const home = homeAt(root)
  mkdirSync(home.config.directory, { recursive: true, mode: 0o700 })
  await writeNodeKey(home.config.nodeKey, nodeKey)
  if (validatorKey !== undefined) await writeValidatorKey(home.config.validatorKey, validatorKey)
  await initializeHome(home, {
    genesis,
    ...(validatorKey !== undefined && { mode: 'validator' as const }),
    moniker: node.name,
    overwrite: false,
    settings: { ...(isDev && DEV_CONFIG), ...settingsOf(node, peers) },
  })
}

/**
 * Writes the homes of a network: keys, one genesis, and configurations in which each node lists all others as peers.
 * The folder is created atomically.
 * @throws HOME_NOT_EMPTY if it exists and is not empty, STORE_DENIED if it cannot be written
 */
export async function initializeNetwork({
  folder,
  chain,
  nodes,
}: NetworkOptions): Promise<InitializedNetwork> {
  const root = resolve(folder)
  refuseExisting(root)
  const keyed = nodes.map((node): KeyedNode => {
    const validatorKey = node.mode === 'validator' ? generateKey() : undefined
    return { ...node, nodeKey: generateKey(), validatorKey }
  })
  const validators = keyed.flatMap(({ name, power, validatorKey }, index): GenesisValidator[] =>
    validatorKey === undefined
      ? []
      : [{ publicKey: validatorKey.publicKey, power, name, ...operatorOf(chain, index) }],
  )
  const genesis = presetGenesis(chain.preset, { ...chain, validators })
  const addressed = keyed.map((node) => {
    const nodeId = nodeIdOf(node.nodeKey)
    return { ...node, nodeId, address: `${nodeId}@${node.host}:${node.ports.p2p}` }
  })
  let unfinished: string | undefined
  try {
    mkdirSync(dirname(root), { recursive: true })
    unfinished = mkdtempSync(join(dirname(root), `.${basename(root)}-`))
    for (const { nodeId, address, ...node } of addressed) {
      const peers = addressed.map((peer) => peer.address).filter((peer) => peer !== address)
      const isDev = chain.preset === 'dev'
      await writeHome(join(unfinished, node.name), node, peers, { genesis, isDev })
    }
    renameSync(unfinished, root)
  } catch (thrown) {
    if (unfinished !== undefined) rmSync(unfinished, { recursive: true, force: true })
    if (thrown instanceof LockstepError) throw thrown
    throw new LockstepError('STORE_DENIED', `cannot write ${root}: ${messageOf(thrown)}`, {
      hint: 'pass --out with a folder that this user can create and write',
      cause: thrown,
    })
  }
  const initialized = addressed.map(({ nodeKey, validatorKey, address, ...node }) => ({
    ...node,
    home: join(root, node.name),
  }))
  return { genesis, nodes: initialized }
}
