export { WebFileError, type WebFileFacts } from './fault';
export { openWebFile, type WebFile, type WebFileOptions } from './openWebFile';
