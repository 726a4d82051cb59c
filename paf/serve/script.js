// SPDX-License-Identifier: MIT
//
// What a page cannot do without a script: switches of a legend, and a button that cancels a question.
'use strict';

for (const button of document.querySelectorAll('.legend button')) {
    button.addEventListener('click', () => {
        const shown = button.getAttribute('aria-pressed') !== 'true';
        button.setAttribute('aria-pressed', String(shown));
        document.getElementById('functions').classList.toggle('hide' + button.dataset.column, !shown);
    });
}

// A question is fetched, so that it can be cancelled: the server notices that nobody waits.
function begin_question(form) {
    const cancel = document.getElementById('cancel');
    const asking = document.getElementById('asking');
    let abort = null;

    async function ask() {
        const address = 'sql?' + new URLSearchParams(new FormData(form)).toString();
        const page = await fetch(address, {signal: abort.signal});
        const answer = new DOMParser().parseFromString(await page.text(), 'text/html');
        document.getElementById('main').replaceWith(document.adoptNode(answer.getElementById('main')));
        history.pushState(null, '', address);
        begin_question(document.getElementById('question'));
    }

    form.addEventListener('submit', async (event) => {
        event.preventDefault();
        abort = new AbortController();
        cancel.hidden = false;
        asking.textContent = 'asking …';
        try {
            await ask();
        } catch (error) {
            asking.textContent = error.name === 'AbortError' ? 'cancelled' : 'no answer';
        }
        cancel.hidden = true;
    });
    cancel.addEventListener('click', () => abort.abort());
}

if (document.getElementById('question')) {
    begin_question(document.getElementById('question'));
    window.addEventListener('popstate', () => location.reload());
}
