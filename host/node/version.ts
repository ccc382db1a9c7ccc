import { readFileSync } from 'node:fs'

function readVersion(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}

/** Version of the package, as `lockstep version` and web3_clientVersion give it. */
export const VERSION: string = readVersion()
