import { basename, dirname, relative, resolve, sep } from 'node:path'
import type { Plugin } from 'rolldown'

/** `new URL('./x', import.meta.url)`, the only way in which host/ names files of its own. */
const OWN_URL = /\bnew URL\(\s*(['"`])(\.[^'"`\n]*)\1,\s*import\.meta\.url,?\s*\)/g

/** The scripts that a source starts in threads and processes, as absolute paths. */
export function startedScripts(code: string, file: string): string[] {
  return Array.from(code.matchAll(OWN_URL), ([, , path = '']) => path)
    .filter((path) => path.endsWith('.ts'))
    .map((path) => resolve(dirname(file), path))
}

/** The bundled file of a script. All of them lie in one folder. */
export function bundledName(script: string): string {
  return `${basename(script, '.ts')}.js`
}

function moved(path: string, file: string, folder: string): string {
  if (path.endsWith('.ts')) return `new URL('./${bundledName(path)}', import.meta.url)`
  // A template: what stands in braces is no part of a path, and no / is in it
  const target = relative(folder, resolve(dirname(file), path))
    .split(sep)
    .join('/')
  return `new URL(\`${target}${path.endsWith('/') ? '/' : ''}\`, import.meta.url)`
}

/**
 * Makes the URLs of sources name the same files from the bundle, and scripts their bundled file.
 *
 * @param folder where the bundle will lie
 * @param onScript hears of each script that is started
 */
export function placeUrls(
  root: string,
  folder: string,
  onScript: (script: string) => void,
): Plugin {
  return {
    name: 'place-urls',
    transform: {
      filter: { code: 'import.meta.url' },
      handler(code, id) {
        if (!id.startsWith(resolve(root, 'host') + sep)) return null
        for (const script of startedScripts(code, id)) onScript(script)
        const text = code.replace(OWN_URL, (_, _quote, path: string) => moved(path, id, folder))
        return text === code ? null : { code: text, map: null }
      },
    },
  }
}
