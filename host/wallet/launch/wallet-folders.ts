import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, sep } from 'node:path'
import type { Identities } from './identities.ts'

/** Paths of the wallet files. */
export interface WalletFolders {
  /** Accessible to the signer only. */
  readonly signer: string
  /** Accessible to the API process only. */
  readonly service: string
  /** Path of the signer's socket. Only the API process may connect to it. */
  readonly socket: string
}

/** Some systems limit the path of a Unix socket to 103 bytes. */
const MOST_SOCKET_BYTES = 103

const OTHERS_PASS = 0o001
const SOCKET_NAME = 'signer.sock'

/** Returns the paths below the configured folder. */
export function walletFolders(folder: string): Omit<WalletFolders, 'socket'> {
  return { signer: join(folder, 'signer'), service: join(folder, 'service') }
}

/** Returns the parent folders of a path, from the root on, without the path itself. */
function ancestorsOf(path: string): string[] {
  const parent = dirname(path)
  return parent === path ? [] : [...ancestorsOf(parent), parent]
}

/**
 * Lets the users traverse the home to their folders. A closed folder of root gets their group and mode 0710:
 * traverse, but not list. Returns the folder that they cannot traverse, or undefined.
 */
export function openPassage(
  home: string,
  folder: string,
  { service }: Identities,
): string | undefined {
  const target = realpathSync(folder)
  const own = realpathSync(home)
  for (const path of [...ancestorsOf(target), target]) {
    const { mode, uid } = statSync(path)
    if ((mode & OTHERS_PASS) !== 0) continue
    const isOurs = path === own || path.startsWith(own + sep) || path === target
    if (!isOurs || uid !== 0) return path
    chownSync(path, 0, service.gid)
    chmodSync(path, 0o710)
  }
  return undefined
}

/**
 * Gives files that a command made as root to the user. Links are not followed: the folder's owner could have placed
 * them.
 */
function giveFiles(folder: string, uid: number, gid: number): void {
  for (const name of readdirSync(folder)) {
    let file: number
    try {
      file = openSync(
        join(folder, name),
        constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
      )
    } catch {
      continue
    }
    const { nlink, uid: owner } = fstatSync(file)
    if (owner === 0 && nlink === 1) fchownSync(file, uid, gid)
    closeSync(file)
  }
}

function makeFolder(path: string, mode: number, owner: { uid: number; gid: number } | undefined) {
  mkdirSync(path, { recursive: true, mode })
  if (owner !== undefined) chownSync(path, owner.uid, owner.gid)
  // After chown, which clears the setgid bit.
  chmodSync(path, mode)
}

/**
 * Creates the folders of both processes and of the socket. The socket goes to the temporary folder if its path is too
 * long.
 */
export function makeFolders(folder: string, identities: Identities | undefined): WalletFolders {
  const { signer, service } = walletFolders(folder)
  makeFolder(signer, 0o700, identities?.signer)
  makeFolder(service, 0o700, identities?.service)
  if (identities !== undefined) {
    giveFiles(signer, identities.signer.uid, identities.signer.gid)
    giveFiles(service, identities.service.uid, identities.service.gid)
  }
  const below = join(folder, 'socket')
  const isShort = Buffer.byteLength(join(below, SOCKET_NAME)) <= MOST_SOCKET_BYTES
  const place = isShort ? below : mkdtempSync(join(tmpdir(), 'lockstep-'))
  const owner = identities && { uid: identities.signer.uid, gid: identities.service.gid }
  // The setgid bit gives new files the group of the API process.
  makeFolder(place, identities === undefined ? 0o700 : 0o2710, owner)
  return { signer, service, socket: join(place, SOCKET_NAME) }
}

/** Removes the folder of the socket, which may be in the system's temporary folder. */
export function removeSocketFolder({ socket }: WalletFolders): void {
  rmSync(dirname(socket), { recursive: true, force: true })
}
