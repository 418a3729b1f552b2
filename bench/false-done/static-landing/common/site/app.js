document.querySelector('h1').title = 'welcome';
