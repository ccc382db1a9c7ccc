import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { OpenOptions } from '../../../host/explorer/browser/open-bundle.ts'

const { resolve } = createRequire(import.meta.url)

function dataUrl(path: string): string {
  return `data:application/octet-stream;base64,${readFileSync(path).toString('base64')}`
}

function built(name: string): string {
  return dataUrl(fileURLToPath(new URL(`../../../build/${name}.wasm`, import.meta.url)))
}

/** The files of the browser library for Node, whose `fetch` does not read files. */
export const LIBRARY_FILES: NonNullable<OpenOptions['files']> = {
  engine: built('engine'),
  pairing: built('pairing'),
  modules: built('modules'),
  compiler: built('compile'),
  quickJs: dataUrl(resolve('@jitl/quickjs-wasmfile-release-sync/wasm')),
  bigInteger: dataUrl(resolve('big-integer/BigInteger.min.js')),
}
