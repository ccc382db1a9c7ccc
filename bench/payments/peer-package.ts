import { createRequire } from 'node:module'

const require = createRequire(new URL('../peers/package.json', import.meta.url))

/**
 * Loads a package of bench/peers, as CommonJS.
 * @throws Error that says how to install the peers if they are missing
 */
export function peerPackage<Exports>(name: string): Exports {
  try {
    return require(name) as Exports
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error
    throw new Error(`${name} is missing: run \`npm install --no-save --prefix bench/peers\``)
  }
}
