import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

export const ROOT: string = fileURLToPath(new URL('../../../', import.meta.url))

/** Holds the bundles of threads' scripts. */
export const BUNDLE_FOLDER: string = join(ROOT, 'build/test/threads')

const THREAD_URL = /new URL\('([^']*-worker\.ts)', import\.meta\.url\)/g

/** The bundle of a thread's script. */
export function bundleOf(script: string): string {
  return join(BUNDLE_FOLDER, relative(ROOT, script).replaceAll('/', '-').replace(/\.ts$/, '.js'))
}

/** The source of a module at `path` with the URLs of threads' scripts replaced by those of their bundles. */
export function withBundledThreads(source: string, path: string): string {
  return source.replace(THREAD_URL, (_, script: string) => {
    const bundle = bundleOf(resolve(dirname(path), script))
    return `new URL(${JSON.stringify(pathToFileURL(bundle).href)})`
  })
}
