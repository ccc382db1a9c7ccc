import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const MANIFEST = fileURLToPath(new URL('../../../bench/peers/package.json', import.meta.url))

/** Folder into which `npm install --prefix bench/peers` installs other projects' packages. */
export const PEERS_FOLDER: string = fileURLToPath(
  new URL('../../../bench/peers/node_modules', import.meta.url),
)

/** Returns a suffix for a test's name if packages are missing, otherwise an empty string. */
export function absentPeers(...names: readonly string[]): string {
  const missing = names.filter((name) => !existsSync(`${PEERS_FOLDER}/${name}`))
  if (missing.length === 0) return ''
  return ` (no ${missing.join(', ')}: npm install --no-save --prefix bench/peers)`
}

/** Returns the name and version of a package of bench/peers, or the reason why its tests are skipped. */
export function publishedPeer(name: string): string {
  const absent = absentPeers(name)
  if (absent !== '') return `${name}${absent}`
  const manifest = readFileSync(`${PEERS_FOLDER}/${name}/package.json`, 'utf8')
  return `${name} ${JSON.parse(manifest).version}`
}

/** Returns a package of bench/peers, untyped because it may be absent. */
// biome-ignore lint/suspicious/noExplicitAny: the packages are checked by what they do
export function peer(name: string): any {
  return createRequire(MANIFEST)(name)
}
