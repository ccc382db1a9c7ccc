import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Longest Unix socket path in bytes that every system accepts: macOS allows 103, Linux 107. */
const LONGEST_SOCKET_PATH = 100

/** Accessible to the owner only, as its sockets and key require. */
const PRIVATE = 0o700

/** Paths in the folder of a node's CometBFT. */
export interface CometFolder {
  /** Its `--home`. */
  readonly root: string
  readonly configFile: string
  /** Key and signing state of a full node, which never signs with them. */
  readonly ownKey: string
  readonly ownKeyState: string
  /** ABCI socket of the application, and socket of CometBFT's RPC. */
  readonly appSocket: string
  readonly rpcSocket: string
  /** Removes the sockets. */
  remove(): void
}

/**
 * File with the root that a socket folder belongs to: the link of a copied home points to the sockets of the
 * original.
 */
const OWNER = 'owner'

/** Removes the socket folder that a killed node of this root left behind. */
function removeEarlier(link: string, root: string): void {
  try {
    const folder = readlinkSync(link)
    if (readFileSync(join(folder, OWNER), 'utf8') === root) {
      rmSync(folder, { recursive: true, force: true })
    }
  } catch {
    // There is none, or its node removed it.
  }
  rmSync(link, { force: true })
}

/** Creates a temporary folder that only this user may enter, and a link to it. */
function makeShortFolder(link: string, root: string): string {
  removeEarlier(link, root)
  const folder = mkdtempSync(join(tmpdir(), 'lockstep-cometbft-'))
  writeFileSync(join(folder, OWNER), root)
  symlinkSync(folder, link)
  return folder
}

/**
 * Creates the folder of a CometBFT if it does not exist. If its path is too long for a socket, the sockets are in a
 * temporary folder that only this user may enter.
 */
export function makeCometFolder(root: string): CometFolder {
  const config = join(root, 'config')
  const data = join(root, 'data')
  for (const folder of [root, config, data]) mkdirSync(folder, { recursive: true, mode: PRIVATE })
  const isLong = Buffer.byteLength(join(root, 'app.sock')) > LONGEST_SOCKET_PATH
  const link = join(root, 'sockets')
  const sockets = isLong ? makeShortFolder(link, root) : root
  const appSocket = join(sockets, 'app.sock')
  const rpcSocket = join(sockets, 'rpc.sock')
  const remove = (): void => {
    process.off('exit', remove)
    for (const socket of [appSocket, rpcSocket]) rmSync(socket, { force: true })
    if (!isLong) return
    rmSync(sockets, { recursive: true, force: true })
    rmSync(link, { force: true })
  }
  // Also runs when the node fails and exits without closing anything.
  process.once('exit', remove)
  return {
    root,
    configFile: join(config, 'config.toml'),
    ownKey: join(config, 'priv_validator_key.json'),
    ownKeyState: join(data, 'priv_validator_state.json'),
    appSocket,
    rpcSocket,
    remove,
  }
}

/** Writes the configuration and removes the RPC socket of a killed process. */
export function prepareCometFolder({ configFile, rpcSocket }: CometFolder, text: string): void {
  writeFileSync(configFile, text, { mode: 0o600 })
  rmSync(rpcSocket, { force: true })
}
