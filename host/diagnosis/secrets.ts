import { readFileSync } from 'node:fs'
import type { Home } from '../node/home/home.ts'

/** Bytes of the seed that an ed25519 key begins with. */
const SEED_BYTES = 32

/**
 * The keys of a home in the forms in which they may stand in a text: base64 and hex, whole and the seed alone.
 * A file that cannot be read adds nothing.
 */
export function secretsOf({ config }: Home): readonly string[] {
  return [config.validatorKey, config.nodeKey].flatMap((path) => {
    try {
      const { value } = JSON.parse(readFileSync(path, 'utf8')).priv_key
      const key = Buffer.from(value, 'base64')
      const seed = key.subarray(0, SEED_BYTES)
      return [key, seed].flatMap((bytes) => {
        const hex = bytes.toString('hex')
        const base64 = bytes.toString('base64')
        return [
          base64,
          base64.replace(/=+$/, ''),
          bytes.toString('base64url'),
          hex,
          hex.toUpperCase(),
        ]
      })
    } catch {
      return []
    }
  })
}
