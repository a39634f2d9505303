/** The pinned n8n: installed on demand, started apart, loading this package as a user's n8n would. */
export * from './documents';
export { ensureEngine1x, ensureHost } from './install';
export { installPackage, packageFolderOf, packAsBuilt, packPackage } from './packPackage';
export { engine1xFolder, projectRoot } from './paths';
export { portNear } from './processes';
export { N8nRest, OWNER, type CredentialTestResult, type EditedNode, type PublicationStatus } from './rest';
export { startN8n, startWorker, stopN8n, type N8nProcess, type RunningN8n } from './startN8n';
