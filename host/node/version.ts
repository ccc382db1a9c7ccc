import { readFileSync } from 'node:fs'

interface Manifest {
  readonly version: string
  readonly engines: { readonly node: string }
}

const manifest = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as Manifest

/** Version of the package, as in `lockstep version` and web3_clientVersion. */
export const VERSION: string = manifest.version

/** Supported Node releases: `>=<major>.<minor>`. */
export const NODE_RANGE: string = manifest.engines.node

/** Value of web3_clientVersion: name/version/system/runtime. */
export const CLIENT_VERSION: string = `lockstep/v${VERSION}/${process.platform}-${process.arch}/node${process.version.slice(1)}`
