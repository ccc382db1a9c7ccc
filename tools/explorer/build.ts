/**
 * Writes the page of host/explorer/page as static files into the named folder. They use relative references, so they
 * work in any folder of a server.
 */
import { resolve } from 'node:path'
import { build } from 'vite'
import { explorerPolicy } from '../../host/node/serve/explorer-policy.ts'
import { PAGE_BUILD } from './page-build.ts'

/** The page's policy if the server sends none. Only a header can control framing. */
const POLICY = explorerPolicy({ 'frame-ancestors': undefined })

const folder = process.argv[2]
if (folder === undefined) throw new Error('name the folder to write the page to')

await build({
  ...PAGE_BUILD,
  build: {
    outDir: resolve(folder),
    emptyOutDir: true,
    // The policy of the page allows data: for images only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
    // Licences of the bundled packages, which require it.
    license: { fileName: 'licenses.md' },
  },
  worker: { format: 'es' },
  plugins: [
    {
      name: 'content-security-policy',
      transformIndexHtml: () => [
        {
          tag: 'meta',
          attrs: { 'http-equiv': 'Content-Security-Policy', content: POLICY },
          injectTo: 'head-prepend',
        },
      ],
    },
  ],
})
