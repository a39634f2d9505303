import { join } from 'node:path';
import { projectRoot } from '../../../scripts/n8nHost';
import type { Session } from '../../e2e/support/session';
import { onlyOf } from './credentials';
import type { Editor } from './pages/editor';

export const example = (name: string): string => join(projectRoot, 'examples', `${name}.json`);

/** Chooses the suite's credential in each of these nodes, as the examples' notes ask for. */
export async function chooseForAll(editor: Editor, session: Session, type: string, nodes: string[]): Promise<void> {
	for (const name of nodes) {
		const panel = await editor.openNode(name);
		await panel.chooseCredential(onlyOf(session, type));
		await panel.close();
	}
}
