import { mkdtemp, mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os'; import { join } from 'node:path';
import * as host from '/work/main/scripts/n8nHost'; import { startSandbox } from '/work/main/sandbox'; import { sandboxCredentials } from '/work/main/scripts/sandboxCredentials';
void (async()=>{ const sandbox = await startSandbox({}); const folder=await mkdtemp(join(tmpdir(),'look-')); const u=join(folder,'user'); await mkdir(u); await host.installPackage(u, await host.packPackage(folder)); const n=await host.startN8n({userFolder:u}); const c=await host.importCredentials(n.rest, sandboxCredentials(sandbox)); await writeFile('/tmp/look.json', JSON.stringify({url:n.url,c,urls:sandbox.urls,keys:sandbox.keys,pid:n.pid})); console.log('up',n.url); })();
