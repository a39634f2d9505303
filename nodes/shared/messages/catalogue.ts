/** All errors and hints that people read, by their codes. `docs/development/messages.md` shows them. */
import { connection } from './topics/connection';
import { credentials } from './topics/credentials';
import { fields } from './topics/fields';
import { files } from './topics/files';
import { inputs } from './topics/inputs';
import { jobs } from './topics/jobs';
import { pool } from './topics/pool';
import { router } from './topics/router';
import { server } from './topics/server';
import { service } from './topics/service';
import { stopping } from './topics/stopping';
import { submission } from './topics/submission';
import { workflow } from './topics/workflow';

/** The messages by topic. Each code is in one topic. */
export const topics = {
	connection,
	credentials,
	service,
	workflow,
	inputs,
	files,
	jobs,
	submission,
	router,
	pool,
	server,
	stopping,
	fields,
};

export const messages = {
	...connection,
	...credentials,
	...service,
	...workflow,
	...inputs,
	...files,
	...jobs,
	...submission,
	...router,
	...pool,
	...server,
	...stopping,
	...fields,
};
