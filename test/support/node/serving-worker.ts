import { serveOnThread } from '../../../host/server/threads/serve-on-thread.ts'

// A serving thread that answers nothing by itself.

serveOnThread(() => ({}))
