import { createRequire } from 'node:module'

const require = createRequire(new URL('../peers/package.json', import.meta.url))

/**
 * A package of bench/peers, as CommonJS.
 * @throws Error that says how to install them where they are not
 */
export function peerPackage<Exports>(name: string): Exports {
  try {
    return require(name) as Exports
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error
    throw new Error(`${name} is missing: run \`npm install --no-save --prefix bench/peers\``)
  }
}
