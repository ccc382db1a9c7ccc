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

/** Bytes of the longest path of a Unix socket that every system takes: macOS has room for 103, Linux for 107. */
const LONGEST_SOCKET_PATH = 100

/** Readable by its user alone, as the sockets and the key in it have to be. */
const PRIVATE = 0o700

/** Where a node's CometBFT keeps what is its own. */
export interface CometFolder {
  /** Its `--home`. */
  readonly root: string
  readonly configFile: string
  /** Key and signing state of a full node, which signs nothing with them. */
  readonly ownKey: string
  readonly ownKeyState: string
  /** Where it asks the application, and where it is asked. */
  readonly appSocket: string
  readonly rpcSocket: string
  /** Removes the sockets. */
  remove(): void
}

/** Names the root whose sockets a folder has: the link of a home that was copied leads to the sockets of the other. */
const OWNER = 'owner'

/** Removes what a node of this root that was killed has left. */
function removeEarlier(link: string, root: string): void {
  try {
    const folder = readlinkSync(link)
    if (readFileSync(join(folder, OWNER), 'utf8') === root) {
      rmSync(folder, { recursive: true, force: true })
    }
  } catch {
    // None was made before, or its node has ended in order.
  }
  rmSync(link, { force: true })
}

/** A folder below the temporary one that this user alone may enter, which `link` leads to. */
function makeShortFolder(link: string, root: string): string {
  removeEarlier(link, root)
  const folder = mkdtempSync(join(tmpdir(), 'lockstep-cometbft-'))
  writeFileSync(join(folder, OWNER), root)
  symlinkSync(folder, link)
  return folder
}

/**
 * Makes the folder of a CometBFT, or finds it. Where its path is too long for a socket, these are in a folder of
 * the temporary one that this user alone may enter.
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
  // A node that fails ends without closing what it has open.
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

/** Readies the folder for a start: with its configuration, and without the socket of one that was killed. */
export function prepareCometFolder({ configFile, rpcSocket }: CometFolder, text: string): void {
  writeFileSync(configFile, text, { mode: 0o600 })
  rmSync(rpcSocket, { force: true })
}
