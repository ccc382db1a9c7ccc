import { safeText } from '../decode/format/safe-text.ts'
import { useExplorer } from '../state/explorer-context.ts'

/** The current node, and the files used for decoding. */
export function PageFooter() {
  const { node, uploads: knowledge } = useExplorer()
  const files = knowledge.files.value
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
            onClick={() => knowledge.remove(file)}
          >
            forget
          </button>
        </span>
      ))}
    </footer>
  )
}
