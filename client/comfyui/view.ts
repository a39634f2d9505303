import type { ServiceApi } from '../api';
import { toAnnotatedName } from '../files/fileNames';
import type { FileReference } from '../job';
import { type JsonRecord, textOr } from '../decode';

/** Where a file can be fetched. The hosted service redirects to a signed link that is made anew for every call. */
export function viewLink(api: Pick<ServiceApi, 'url'>, { filename, subfolder, type }: FileReference): string {
	const url = api.url('/view');
	url.search = new URLSearchParams({ filename, subfolder, type }).toString();
	return url.href;
}

/** How a graph names an output here, as ComfyUI's own web interface does: all files of an account are in one folder. */
export const nameInGraph = ({ filename, type }: FileReference): string => toAnnotatedName({ filename, subfolder: '', type });

/** @returns undefined when this names no file. */
export function fileReferenceOf({ filename, subfolder, type }: JsonRecord): FileReference | undefined {
	const name = textOr(filename, undefined);
	return name === undefined ? undefined : { filename: name, subfolder: textOr(subfolder, ''), type: textOr(type, 'output') };
}
