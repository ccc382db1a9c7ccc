import { serveOnThread } from '../../../host/api/server/threads/serve-on-thread.ts'

// A serving thread that answers nothing by itself.

serveOnThread(() => ({}))
