import { safeText } from '../decode/format/safe-text.ts'
import { useExplorer } from '../state/explorer-context.ts'

/** The current node, and the files used for decoding. */
export function PageFooter() {
  const explorer = useExplorer()
  const { node, uploads } = explorer
  const files = uploads.files.value
  return (
    <footer class="page-footer">
      <span>
        {node.value === undefined ? 'No node in use' : `Node: ${node.value.reader.name}`}. No other
        server receives requests.
      </span>
      {files.map((file) => (
        <span key={file.name}>
          Decoding with {safeText(file.name)}{' '}
          <button
            type="button"
            class="text-button"
            aria-label={`Forget ${safeText(file.name)}`}
            onClick={() => void explorer.forget(file)}
          >
            forget
          </button>
        </span>
      ))}
    </footer>
  )
}
