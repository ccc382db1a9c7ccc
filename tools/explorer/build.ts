/**
 * Writes the page of host/explorer/page as static files into the folder that is named. They name each other relatively,
 * and so work from any folder of a server.
 */
import { resolve } from 'node:path'
import { build } from 'vite'
import { explorerPolicy } from '../../host/node/serve/explorer-policy.ts'
import { PAGE_BUILD } from './page-build.ts'

/** The page's policy where no server sends it. Who frames a page is for a header alone to say. */
const POLICY = explorerPolicy({ 'frame-ancestors': undefined })

const folder = process.argv[2]
if (folder === undefined) throw new Error('name the folder that the page is written to')

await build({
  ...PAGE_BUILD,
  build: {
    outDir: resolve(folder),
    emptyOutDir: true,
    // The policy of the page has data: for images alone.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
    // Of what is packed into the page: their licences ask for it.
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
