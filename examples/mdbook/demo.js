// The element of the lab, for every page of the book.
document.head.append(Object.assign(document.createElement("script"), { src: "https://lab.example/fairlane-demo.js" }));
